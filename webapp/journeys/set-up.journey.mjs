import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, visitor } from "./browser.mjs";
import { setUpLink } from "./pages.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

test("a_first_administrator_sets_up_by_the_one_time_link", {
  skip: !setUpLink && "SLUICE_SET_UP names no link",
}, async () => {
  const { page, context } = await visitor(browser, { baseURL: new URL(setUpLink ?? "").origin });
  await page.goto(setUpLink);
  await page.locator("#name").fill("first");
  await page.locator("#password").fill("the first password");
  await page.locator("#again").fill("another one");
  await page.locator("button[type=submit].primary").click();
  await page.locator("#again[aria-invalid=true]").waitFor();
  await page.locator("#password").fill("the first password");
  await page.locator("#again").fill("the first password");
  await page.locator("button[type=submit].primary").click();
  await page.waitForURL((url) => url.pathname === "/");
  assert.match(await page.locator("h1").innerText(), /first/);
  await page.goto(setUpLink);
  assert.equal(await page.locator("form[action='/set-up']").count(), 0, "the link works once");
  await context.close();
});
