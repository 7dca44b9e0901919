import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { admin, newcomer, openBrowser, PHONE, signedIn, signIn, visitor } from "./browser.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

test("a_wrong_password_is_told_and_the_name_is_kept", async () => {
  const { page, context } = await visitor(browser);
  await page.goto("/sign-in");
  await page.locator("#name").fill("nobody-at-all");
  await page.locator("#password").fill("not the password");
  await page.locator("button[type=submit].primary").click();
  await page.locator(".notice.bad").waitFor();
  assert.equal(await page.locator(".notice.bad").getAttribute("role"), "alert");
  assert.equal(await page.locator("#name").inputValue(), "nobody-at-all");
  assert.equal(await page.locator("#password").inputValue(), "");
  await context.close();
});

test("after_signing_in_one_is_where_one_wanted_to_go_and_after_signing_out_nowhere", async () => {
  const { page, context } = await visitor(browser);
  await page.goto("/people");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await page.locator("#name").fill(admin.name);
  await page.locator("#password").fill(admin.password);
  await page.locator("button[type=submit].primary").click();
  await page.waitForURL("**/people");
  await page.locator("button.whoami").click();
  await page.locator("form[action='/sign-out'] button").click();
  await page.waitForURL("**/sign-in*");
  await page.goto("/people");
  assert.equal(new URL(page.url()).pathname, "/sign-in");
  await context.close();
});

test("signing_in_needs_no_script", async () => {
  const { page, context } = await visitor(browser, { javaScriptEnabled: false });
  await signIn(page);
  await page.goto("/profile");
  assert.equal(await page.locator("h1").innerText(), "Profile");
  await page.locator("button.whoami").click();
  await page.locator("form[action='/sign-out'] button").click();
  await page.waitForURL("**/sign-in*");
  await context.close();
});

test("the_keyboard_is_enough", async () => {
  const { page, context } = await visitor(browser);
  await page.goto("/sign-in");
  await page.keyboard.type(admin.name);
  await page.keyboard.press("Tab");
  await page.keyboard.type(admin.password);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname !== "/sign-in");

  await page.goto("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.className), "skip", "the first stop skips the doors");
  await page.keyboard.press("Enter");
  await page.locator("main:focus").waitFor();

  await page.locator("button.whoami").focus();
  await page.keyboard.press("Enter");
  await page.locator("#mine:popover-open").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#mine:popover-open").count(), 0);
  await page.locator("button.whoami:focus").waitFor();
  await context.close();
});

test("the_language_follows_the_browser_and_then_the_choice", async () => {
  const { page, context } = await visitor(browser, { language: "zh" });
  await page.goto("/sign-in");
  assert.equal(await page.locator("html").getAttribute("lang"), "zh");
  assert.equal(await page.locator("h1").innerText(), "登录");
  await page.locator("button[name=language][value=en]").click();
  await page.locator("html[lang=en]").waitFor();
  assert.equal(await page.locator("h1").innerText(), "Sign in");
  await page.reload();
  assert.equal(await page.locator("h1").innerText(), "Sign in");
  await context.close();
});

test("the_theme_follows_the_system_and_then_the_choice", async () => {
  const { page, context, complaints } = await newcomer(browser, { theme: "dark" });
  const brightness = () =>
    page.evaluate(() => {
      const [red = 0] = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g) ?? [];
      return Number(red);
    });
  await page.goto("/profile");
  assert.ok((await brightness()) < 40, "dark as the system");
  // the page turns light at once, the choice is kept when the gateway has answered
  await Promise.all([
    page.waitForResponse("**/preferences"),
    page.locator("main button[name=theme][value=light]").click(),
  ]);
  await page.locator("html[data-theme=light]").waitFor();
  assert.ok((await brightness()) > 200, "light as chosen");
  await page.goto("/");
  assert.ok((await brightness()) > 200, "and it stays");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("on_a_phone_nothing_is_wider_than_the_screen_and_the_doors_are_at_hand", async () => {
  const { page, context } = await signedIn(browser, { viewport: PHONE });
  for (const path of ["/", "/people", "/profile"]) {
    await page.goto(path);
    const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide <= screen, `${path} is ${wide} px wide on a screen of ${screen}`);
  }
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("a.button, button, .doors a, input:not([type=hidden], .unseen), select")]
      .filter((target) => target.checkVisibility() && !target.closest("label"))
      .map((target) => [target.outerHTML.slice(0, 80), target.getBoundingClientRect()])
      .filter(([, box]) => box.height < 40 || box.width < 40)
      .map(([html, box]) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );
  assert.deepEqual(small, []);
  await context.close();
});
