import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addPerson, freshName, openBrowser, opener, signedIn, signIn, visitor } from "./browser.mjs";
import { layCable } from "./cable.mjs";

const PASSWORD = "a first password";
let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

test("two_administrators_see_each_other_s_changes_without_reloading", async () => {
  const one = await signedIn(browser);
  const two = await signedIn(browser, { language: "zh" });
  await two.page.goto("/people");
  await two.page.evaluate(() => {
    window.stillTheSamePage = true;
  });

  const name = freshName("live");
  await addPerson(one.page, { name, password: PASSWORD, email: `${name}@lab.example`, groups: "lab_a" });
  const row = two.page.locator("#people-rows > tr", { hasText: name }).first();
  // a person comes first, and what they belong to right after
  await row.filter({ hasText: "lab_a" }).waitFor();
  assert.match(await row.innerText(), /正常/, "in the language of who looks");

  await one.page.goto(`/people/${name}`);
  await one.page.locator(opener("disable")).click();
  await one.page.locator("#disable button[type=submit]").click();
  await one.page.locator(".notice.good").waitFor();
  await row.locator(".state.off").waitFor();

  await one.page.locator(opener("delete")).click();
  await one.page.locator("#delete button[type=submit]").click();
  await one.page.waitForURL((url) => url.pathname === "/people");
  await row.waitFor({ state: "detached" });
  assert.equal(await two.page.evaluate(() => window.stillTheSamePage), true);
  assert.deepEqual([...one.complaints, ...two.complaints], []);
  await one.context.close();
  await two.context.close();
});

test("a_page_that_was_cut_off_says_so_and_catches_up", async () => {
  const cable = await layCable();
  const near = await signedIn(browser);
  const far = await visitor(browser, { baseURL: cable.origin });
  await signIn(far.page);
  await far.page.goto("/people");
  await far.page.locator("live-updates:empty").waitFor({ state: "attached" });

  cable.cut();
  await far.page.locator("live-updates [role=status]").waitFor();
  const name = freshName("missed");
  await addPerson(near.page, { name, password: PASSWORD });
  assert.equal(await far.page.locator("#people-rows > tr", { hasText: name }).count(), 0);

  cable.mend();
  await far.page.locator("#people-rows > tr", { hasText: name }).waitFor({ timeout: 40_000 });
  await far.page.locator("live-updates:empty").waitFor({ state: "attached" });
  await near.context.close();
  await far.context.close();
  cable.close();
});

test("back_from_turbo_s_cache_the_page_is_current", async () => {
  const one = await signedIn(browser);
  const two = await signedIn(browser);
  await two.page.goto("/people");
  await two.page.locator(".doors a[href='/profile']").click();
  await two.page.waitForURL("**/profile");
  const name = freshName("meanwhile");
  await addPerson(one.page, { name, password: PASSWORD });
  await two.page.goBack();
  await two.page.locator("#people-rows > tr", { hasText: name }).waitFor();
  await one.context.close();
  await two.context.close();
});

test("searching_as_one_types_keeps_the_field_and_changes_the_address", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = freshName("sought");
  await addPerson(page, { name, password: PASSWORD });
  await page.goto("/people");
  await page.locator("#search").pressSequentially(name.slice(0, -1), { delay: 10 });
  await page.waitForURL((url) => url.searchParams.get("search") === name.slice(0, -1));
  await page.locator("turbo-frame#people:not([busy]) tbody tr", { hasText: name }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "search");
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.locator("#search").fill("nobody-has-such-a-name");
  await page.locator(".empty b", { hasText: "nobody-has-such-a-name" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_refused_form_keeps_what_was_typed_and_marks_what_was_wrong", async () => {
  const { page, context } = await signedIn(browser);
  const name = freshName("twice");
  await addPerson(page, { name, password: PASSWORD });
  await page.goto("/people");
  await page.locator(opener("new-person")).click();
  await page.locator("#new-name").fill(name);
  await page.locator("#new-password").fill(PASSWORD);
  await page.locator("#new-groups").fill("lab_a, lab_b");
  await page.locator("#new-person button[type=submit]").click();
  await page.locator("#new-name[aria-invalid=true]").waitFor();
  assert.equal(await page.locator("#new-name").inputValue(), name);
  assert.equal(await page.locator("#new-groups").inputValue(), "lab_a, lab_b");
  const describedBy = await page.locator("#new-name").getAttribute("aria-describedby");
  assert.ok((await page.locator(`#${describedBy}`).innerText()).includes(name));
  assert.equal(await page.evaluate(() => document.activeElement?.id), "new-name");
  await context.close();
});

test("every_form_about_people_works_without_script", async () => {
  const { page, context } = await visitor(browser, { javaScriptEnabled: false });
  await signIn(page);
  const name = freshName("plain");
  await addPerson(page, { name, password: PASSWORD });
  await page.goto(`/people?search=${name}`);
  await page.locator("tbody a", { hasText: name }).click();
  assert.equal(await page.locator("h1").innerText(), name);

  await page.locator("#groups").fill("lab_a, lab_b");
  await page.locator("form[action$='/groups'] button").click();
  await page.locator(".notice.good").waitFor();
  assert.match(await page.locator("#groups").inputValue(), /lab_a.*lab_b/);

  await page.locator("#password").fill("another password");
  await page.locator("form[action$='/reset'] button").click();
  await page.locator(".notice.good").waitFor();

  await page.locator("form[action$='/admin'] button").click();
  await page.locator("main .chip.accent").waitFor();
  await page.locator("form[action$='/admin'] button").click();
  await page.locator("main .chip.accent").waitFor({ state: "detached" });

  await page.locator(opener("disable")).click();
  await page.locator("#disable button[type=submit]").click();
  await page.locator("main .state.off").waitFor();
  await page.locator("form[action$='/enable'] button").click();
  await page.locator("main .state.good").waitFor();

  await page.locator(opener("delete")).click();
  await page.locator("#delete button[type=submit]").click();
  await page.locator(".notice.good").waitFor();
  await page.goto(`/people?search=${name}`);
  assert.equal(await page.locator("tbody tr").count(), 0);
  await context.close();
});

test("somebody_who_is_disabled_while_the_line_is_cut_is_shown_out_when_it_is_back", async () => {
  const cable = await layCable();
  const boss = await signedIn(browser);
  const name = freshName("away");
  await addPerson(boss.page, { name, password: PASSWORD });
  const other = await visitor(browser, { baseURL: cable.origin });
  await signIn(other.page, { name, password: PASSWORD });
  await other.page.goto("/jobs");
  await other.page.locator("live-updates:empty").waitFor({ state: "attached" });

  cable.cut();
  await boss.page.goto(`/people/${name}`);
  await boss.page.locator(opener("disable")).click();
  await boss.page.locator("#disable button[type=submit]").click();
  await boss.page.locator(".notice.good").waitFor();
  cable.mend();
  await other.page.waitForURL("**/sign-in*", { timeout: 40_000 });
  await boss.context.close();
  await other.context.close();
  cable.close();
});

test("somebody_who_is_disabled_is_shown_out_of_an_open_page", async () => {
  const boss = await signedIn(browser);
  const name = freshName("leaving");
  await addPerson(boss.page, { name, password: PASSWORD });
  await boss.page.goto(`/people/${name}`);
  await boss.page.locator("form[action$='/admin'] button").click();
  await boss.page.locator(".notice.good").waitFor();

  const other = await visitor(browser);
  await signIn(other.page, { name, password: PASSWORD });
  await other.page.goto("/people");
  await boss.page.locator(opener("disable")).click();
  await boss.page.locator("#disable button[type=submit]").click();
  await boss.page.locator(".notice.good").waitFor();
  await other.page.waitForURL("**/sign-in*");
  await boss.context.close();
  await other.context.close();
});
