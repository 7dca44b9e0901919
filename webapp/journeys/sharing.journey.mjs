import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { addPerson, freshName, openBrowser, opener, PHONE, picture, signedIn, signIn, visitor } from "./browser.mjs";

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "sluice-sharing-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const PASSWORD = "a first password";
const row = (page, name) => page.locator(".file-row").filter({ has: page.locator(`.name[title="${name}"]`) });

async function upload(page, name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator(".sheet header .button.primary").click(),
  ]);
  await chooser.setFiles([path]);
  await row(page, name).waitFor();
}

/** People of these groups, signed in; a window of each. */
async function people(boss, groups, look = {}) {
  const all = [];
  for (const [stem, group] of groups) {
    const person = { name: freshName(stem), password: PASSWORD, groups: group };
    await addPerson(boss.page, person);
    const visit = await visitor(browser, look);
    await signIn(visit.page, person);
    all.push({ ...visit, person });
  }
  return all;
}

async function share(boss, name, readers, writers) {
  await boss.page.goto("/files/shares");
  await boss.page.locator(opener("new-share")).click();
  await boss.page.locator("#new-name").fill(name);
  await boss.page.locator("#new-description").fill("What the lab has in common");
  await boss.page.locator("#new-readers").fill(readers);
  await boss.page.locator("#new-writers").fill(writers);
  await boss.page.locator("#new-share button[type=submit]").click();
  await boss.page.locator(".notice.good").waitFor();
  await boss.page.locator("#new-share").waitFor({ state: "hidden" });
}

test("a_folder_is_shared_with_groups_some_of_whom_may_write", async () => {
  const boss = await signedIn(browser, {});
  const [readers, writers] = [freshName("look"), freshName("write")].map((name) => name.replaceAll("-", "_"));
  const name = freshName("lab");
  const [ann, ben, carl] = await people(boss, [
    ["ann", writers],
    ["ben", readers],
    ["carl", ""],
  ]);
  await share(boss, name, readers, writers);
  await boss.page.locator(`#share-${name}`).waitFor();
  await picture(boss.page, "sharing-shares", { whole: true });

  await ann.page.goto(`/files`);
  await ann.page.locator(`.places a[href='/files?in=@${name}']`).click();
  await ann.page.locator(`file-centre[data-space='@${name}'] .empty`).waitFor();
  await upload(ann.page, "results.csv", "epoch,loss\n1,0.5\n");
  await picture(ann.page, "sharing-writer");

  await ben.page.goto(`/files?in=@${name}`);
  await row(ben.page, "results.csv").waitFor();
  assert.equal(await ben.page.locator(".sheet header .button.primary").count(), 0, "who reads uploads nothing");
  await row(ben.page, "results.csv").locator("input").check();
  assert.deepEqual(
    await ben.page
      .locator(".picked .buttons .button")
      .allInnerTexts()
      .then((all) => all.map((one) => one.trim())),
    ["Download", "Share by link"],
  );
  await row(ben.page, "results.csv").locator("a").click();
  await ben.page.locator(".file-view td", { hasText: "0.5" }).waitFor();
  assert.equal(await ben.page.locator(".file-view .buttons button").count(), 0, "who reads changes nothing");
  await picture(ben.page, "sharing-reader");
  const written = await ben.context.request.put(`/api/v2/files/@${name}/content?path=results.csv`, {
    data: "mine",
    headers: { Origin: new URL(ben.page.url()).origin },
  });
  assert.equal(written.status(), 403);

  const none = await carl.page.goto(`/files?in=@${name}`);
  assert.equal(none.status(), 404);
  await carl.page.goto("/files");
  assert.equal(await carl.page.locator(`.places a[href='/files?in=@${name}']`).count(), 0);
  for (const one of [ann, ben, carl, boss]) await one.context.close();
});

/** What stands in what the page of a link lets one have. */
async function taken(page) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("main a[href*='download=1']").click(),
  ]);
  return readFileSync(await download.path(), "utf8");
}

test("a_link_is_made_followed_by_another_and_taken_back", async () => {
  const boss = await signedIn(browser, {});
  const [ann, ben] = await people(boss, [
    ["ann", ""],
    ["ben", ""],
  ]);
  await ann.page.goto("/files");
  await upload(ann.page, "model.txt", "weights");
  await row(ann.page, "model.txt").locator("input").check();
  await ann.page.locator(".picked button", { hasText: "Share by link" }).click();
  const dialog = ann.page.locator(".file-ask");
  await dialog.waitFor();
  await picture(ann.page, "sharing-link-ask");
  await dialog.locator("input").fill("721");
  await dialog.locator("button[value=yes]").click();
  assert.equal(await dialog.locator("input:invalid").count(), 1, "nothing lives so long");
  await ann.page.locator(".file-ask input").fill("1");
  await ann.page.locator(".file-ask button[value=yes]").click();
  await ann.page.waitForFunction(() => /^http/.test(document.querySelector(".file-ask input")?.value ?? ""));
  await picture(ann.page, "sharing-link-made");
  const url = await ann.page.locator(".file-ask input").inputValue();
  await ann.page.locator(".file-ask copy-button button").click();
  await ann.page.locator(".file-ask copy-button button", { hasText: "Copied" }).waitFor();
  await ann.page.locator(".file-ask button[value=no]").click();

  await ben.page.goto(url);
  await ben.page.locator("main h1", { hasText: "model.txt" }).waitFor();
  await picture(ben.page, "sharing-link-followed");
  assert.equal(await taken(ben.page), "weights");
  const stranger = await visitor(browser, {});
  await stranger.page.goto(url);
  await stranger.page.locator("#name").waitFor();
  await picture(stranger.page, "sharing-link-stranger");
  const dave = { name: freshName("dave"), password: PASSWORD };
  await addPerson(boss.page, dave);
  await stranger.page.locator("#name").fill(dave.name);
  await stranger.page.locator("#password").fill(PASSWORD);
  await stranger.page.locator("form[action='/sign-in'] button[type=submit]").click();
  await stranger.page.locator("main h1", { hasText: "model.txt" }).waitFor();
  assert.equal(await taken(stranger.page), "weights", "who signs in then is brought there");

  await ann.page.goto("/files/links");
  assert.equal(await ann.page.locator("tbody tr td.num").first().innerText(), "2");
  await picture(ann.page, "sharing-links");
  await ann.page.locator("tbody form button").click();
  await ann.page.locator(".notice.good").waitFor();
  assert.equal((await ben.page.goto(url)).status(), 404);
  await ben.page.locator("main h1", { hasText: "This link is over" }).waitFor();
  await picture(ben.page, "sharing-link-over");
  for (const one of [ann, ben, stranger, boss]) await one.context.close();
});

test("sharing_in_chinese_and_in_the_dark_and_on_a_phone", async () => {
  for (const [name, look] of Object.entries({
    "sharing-dark-zh": { theme: "dark", language: "zh" },
    "sharing-phone": { viewport: PHONE },
  })) {
    const boss = await signedIn(browser, {});
    const [ann] = await people(boss, [["ann", ""]], look);
    await ann.page.goto("/files");
    await upload(ann.page, "model.txt", "weights");
    await row(ann.page, "model.txt").locator("input").check();
    await ann.page.locator(".picked .buttons .buttons button").click();
    await ann.page.locator(".file-ask button[value=yes]").click();
    await ann.page.waitForFunction(() => /^http/.test(document.querySelector(".file-ask input")?.value ?? ""));
    await picture(ann.page, `${name}-made`);
    const url = await ann.page.locator(".file-ask input").inputValue();
    await ann.page.goto(url);
    await picture(ann.page, `${name}-followed`);
    await ann.page.goto("/files/links");
    await picture(ann.page, `${name}-links`);
    await ann.page.goto(`/files/link/${"0".repeat(40)}`);
    await picture(ann.page, `${name}-over`);
    for (const one of [ann, boss]) await one.context.close();
  }
});
