import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { freshName, newcomer, openBrowser, opener, PHONE, signedIn } from "./browser.mjs";
import { layCable } from "./cable.mjs";
import { desk, plain } from "./desk.mjs";

const NEVER = { cpuNumber: 100_000 };
const word = (stem) => freshName(stem).replaceAll("-", "_");
const row = (page, name) => page.locator("#jobs-rows > tr", { has: page.locator(`a.name[href$="~${name}"]`) });
/** What others share has news of its own, where there is any. */
const isTold = (page) =>
  page.locator('live-updates:is([src^="/live/home"], [src^="/live/jobs"]):empty').waitFor({ state: "attached" });

let browser;
let jobs;
before(async () => {
  browser = await openBrowser();
  jobs = await desk();
});
after(() => browser.close());

test("a_job_comes_runs_and_ends_in_another_s_open_list_without_reloading", async () => {
  const one = await signedIn(browser);
  const two = await signedIn(browser, { language: "zh" });
  for (const { page } of [one, two]) {
    await page.goto("/jobs");
    await page.evaluate(() => {
      window.stillTheSamePage = true;
    });
  }
  const name = word("live");
  await jobs.submit(plain(name, "sleep 2"));
  await row(one.page, name).locator(".state.running").waitFor();
  const began = await row(one.page, name).locator("elapsed-time").innerText();
  assert.match(began, /^\d+:\d\d$/);
  await row(one.page, name).locator(".state.succeeded").waitFor();
  await row(two.page, name).locator(".state", { hasText: "成功" }).waitFor();
  assert.equal(await one.page.locator("#jobs-rows > tr").first().locator("a.name").innerText(), name);
  for (const { page, complaints, context } of [one, two]) {
    assert.equal(await page.evaluate(() => window.stillTheSamePage), true);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("a_list_of_one_state_takes_in_what_comes_to_it_and_lets_go_of_what_leaves_it", async () => {
  const { page, context } = await signedIn(browser);
  await page.goto("/jobs?state=waiting");
  const before = Number((await page.locator("#chip-waiting").innerText()) || 0);
  const name = word("waits");
  await jobs.submit(plain(name, "true", NEVER));
  await row(page, name).locator(".why", { hasText: "Can never start" }).waitFor();
  await page.locator("#chip-waiting", { hasText: `${before + 1}` }).waitFor();
  assert.match(await page.locator("#count-jobs").innerText(), /\d/);
  await jobs.stop(name);
  await row(page, name).waitFor({ state: "detached" });
  await context.close();
});

test("in_another_order_what_comes_takes_its_place_and_what_changes_goes_to_its_own", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const stem = word("order");
  const names = ["b", "d"].map((letter) => `${stem}_${letter}`);
  for (const name of names) await jobs.submit(plain(name, "true", NEVER));
  const shown = () => page.locator("#jobs-rows a.name").allInnerTexts();
  await page.goto(`/jobs?q=${stem}&sort=name`);
  await isTold(page);
  await jobs.submit(plain(`${stem}_c`, "sleep 600"));
  await row(page, `${stem}_c`).locator(".state.running").waitFor();
  assert.deepEqual(await shown(), [names[0], `${stem}_c`, names[1]]);
  await page.goto(`/jobs?q=${stem}&sort=name-back`);
  await isTold(page);
  await jobs.submit(plain(`${stem}_a`, "sleep 600"));
  await row(page, `${stem}_a`).locator(".state.running").waitFor();
  assert.deepEqual(await shown(), [names[1], `${stem}_c`, names[0], `${stem}_a`]);
  await page.goto(`/jobs?q=${stem}&sort=state`);
  await isTold(page);
  assert.deepEqual(await shown(), [`${stem}_a`, `${stem}_c`, names[1], names[0]]);
  await jobs.stop(`${stem}_a`);
  await row(page, `${stem}_a`).locator(".state.stopped").waitFor();
  assert.deepEqual(await shown(), [`${stem}_c`, names[1], names[0], `${stem}_a`]);
  for (const name of [...names, `${stem}_c`]) await jobs.stop(name);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("filters_are_in_the_address_and_what_is_sought_is_found", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("sought");
  await jobs.submit(plain(name, "exit 3"));
  await jobs.until(name, "FAILED");
  await page.goto("/jobs");
  await page.locator(".choices a", { hasText: "Failed" }).click();
  await page.waitForURL((url) => url.searchParams.get("state") === "failed");
  await page.locator("#search").pressSequentially(name.slice(2), { delay: 5 });
  await page.waitForURL((url) => url.searchParams.get("q") === name.slice(2));
  await page.locator("turbo-frame#jobs:not([busy])").waitFor();
  assert.equal(await page.locator("#jobs-rows > tr").count(), 1);
  assert.match(await row(page, name).locator(".why").innerText(), /does not tell why · task main 0/);
  assert.equal(await page.evaluate(() => document.activeElement?.id), "search");
  await page.locator(".choices a", { hasText: "Mine" }).click();
  await page.waitForURL((url) => url.searchParams.has("user") && url.searchParams.get("state") === "failed");
  await page.locator("#search").fill("nobody-has-such-a-job");
  await page.locator(".empty b", { hasText: "No job matches" }).waitFor();
  await page.locator("#priority").selectOption("prod");
  await page.waitForURL((url) => url.searchParams.get("priority") === "prod");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("who_begins_to_type_while_the_list_changes_keeps_the_focus", async () => {
  const { page, context } = await signedIn(browser);
  await page.goto("/jobs");
  await isTold(page);
  await page.locator("#main").focus();
  await page.evaluate(() => {
    const turnToTheSearch = () => document.getElementById("search").focus();
    new MutationObserver(turnToTheSearch).observe(document.documentElement, { childList: true });
  });
  const name = word("meanwhile");
  await jobs.submit(plain(name, "true"));
  await row(page, name).locator(".state.succeeded").waitFor();
  const focused = () => new Promise((told) => requestAnimationFrame(() => told(document.activeElement?.id)));
  for (let frame = 0; frame < 3; frame++) assert.equal(await page.evaluate(focused), "search");
  await context.close();
});

test("several_are_ticked_and_stopped_at_once_by_the_keyboard", async () => {
  const { page, context } = await signedIn(browser);
  const names = [word("many"), word("many")];
  for (const name of names) await jobs.submit(plain(name, "true", NEVER));
  await page.goto("/jobs?state=waiting&q=many");
  for (const name of names) {
    await row(page, name).locator("input[type=checkbox]").focus();
    await page.keyboard.press("Space");
  }
  assert.match(await page.locator(".selected").innerText(), /2 selected/);
  assert.deepEqual(await violations(page), []);
  await page.locator(opener("stop-many")).focus();
  await page.keyboard.press("Enter");
  await page.locator("#stop-many:popover-open").waitFor();
  // what is still fading in has not its colours yet
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const note = page.locator(".notice.good");
  for (const name of names) assert.match(await note.innerText(), new RegExp(name));
  await Promise.all(names.map((name) => jobs.until(name, "STOPPED")));
  await context.close();
});

test("a_ticked_row_stays_ticked_while_it_changes_and_escape_lets_go", async () => {
  const { page, context } = await signedIn(browser);
  const name = word("ticked");
  await jobs.submit(plain(name, "sleep 600", { cpuNumber: 0 }));
  await page.goto(`/jobs?q=${name}`);
  await row(page, name).locator(".state.running").waitFor();
  const box = row(page, name).locator("input[type=checkbox]");
  await box.check();
  const tag = page.request.post(`/jobs/admin~${name}/tags`, {
    form: { tag: "paper" },
    headers: { Origin: new URL(page.url()).origin },
  });
  assert.ok((await tag).ok());
  await row(page, name).locator(".chip", { hasText: "paper" }).waitFor();
  assert.equal(await box.isChecked(), true);
  await box.focus();
  await page.keyboard.press("Escape");
  assert.equal(await box.isChecked(), false);
  await row(page, name).locator(".chip", { hasText: "paper" }).click();
  await page.waitForURL((url) => url.searchParams.get("tag") === "paper");
  await row(page, name).waitFor();
  await jobs.stop(name);
  await context.close();
});

test("stopping_several_works_without_script", async () => {
  const name = word("plain");
  await jobs.submit(plain(name, "true", NEVER));
  const { page, context } = await signedIn(browser, { javaScriptEnabled: false });
  await page.goto(`/jobs?q=${name}`);
  await row(page, name).locator("input[type=checkbox]").check();
  await page.locator(opener("stop-many")).click();
  await page.locator("#stop-many button[type=submit]").click();
  await page.locator(".notice.good", { hasText: name }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("q"), name);
  await row(page, name).locator(".state.stopped").waitFor();
  await context.close();
});

test("a_stranger_sees_no_job_of_others_and_home_tells_them_how_to_begin", async () => {
  const name = word("confidential");
  await jobs.submit(plain(name, "true", NEVER));
  const { page, context } = await newcomer(browser);
  await page.goto(`/jobs?q=${name}`);
  await page.locator(".empty b", { hasText: "No job matches" }).waitFor();
  await page.goto("/jobs?user=admin");
  assert.equal(await page.locator("#jobs-rows > tr").count(), 0);
  const answer = await page.goto(`/jobs/admin~${name}`);
  assert.equal(answer.status(), 404);
  await page.goto("/");
  await page.locator("#home-queue .note", { hasText: "of" }).waitFor();
  assert.doesNotMatch(await page.locator("body").innerText(), new RegExp(name));
  assert.match(await page.locator("#home-steps").innerText(), /Submit your first job/);
  assert.deepEqual(await violations(page), []);
  await jobs.stop(name);
  await context.close();
});

test("home_tells_what_runs_and_what_waits_as_it_happens", async () => {
  const { page, context, complaints } = await signedIn(browser);
  await page.goto("/");
  await isTold(page);
  const [runs, waits] = [word("runs"), word("queued")];
  await jobs.submit(plain(runs, "sleep 600", { cpuNumber: 0 }));
  await jobs.submit(plain(waits, "true", NEVER));
  const mine = page.locator("#home-mine li", { hasText: runs });
  await mine.locator(".state.running").waitFor();
  const queued = page.locator("#home-mine li", { hasText: waits });
  await queued.locator(".why", { hasText: "Can never start" }).waitFor();
  assert.match(await page.locator("#home-queue header").innerText(), /Queue\n?.*wait/);
  await jobs.stop(runs);
  await jobs.stop(waits);
  await mine.locator(".state.stopped").waitFor();
  await queued.locator(".state.stopped").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_list_that_was_cut_off_catches_up", async () => {
  const cable = await layCable();
  const far = await signedIn(browser, { baseURL: cable.origin });
  await far.page.goto("/jobs");
  await isTold(far.page);
  cable.cut();
  await far.page.locator("live-updates [role=status]").waitFor();
  const name = word("missed");
  await jobs.submit(plain(name, "true"));
  await jobs.until(name, "SUCCEEDED");
  assert.equal(await row(far.page, name).count(), 0);
  cable.mend();
  await row(far.page, name).locator(".state.succeeded").waitFor({ timeout: 40_000 });
  await far.context.close();
  cable.close();
});

test("on_a_phone_the_list_fits_and_can_be_worked_with", async () => {
  const name = word("phone");
  await jobs.submit(plain(name, "true", NEVER));
  const { page, context } = await visitorOnPhone();
  await page.goto(`/jobs?q=${name}`);
  const box = await row(page, name).locator("input[type=checkbox]").boundingBox();
  assert.ok(box.width >= 20 && box.height >= 20);
  await row(page, name).locator("input[type=checkbox]").tap();
  await page.locator(opener("stop-many")).tap();
  await page.locator("#stop-many button[type=submit]").tap();
  await page.locator(".notice.good", { hasText: name }).waitFor();
  assert.deepEqual(await violations(page), []);
  await context.close();
});

const visitorOnPhone = () => signedIn(browser, { viewport: PHONE });
