import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { DESKTOP, openBrowser, PHONE, picture, signIn, visitor } from "./browser.mjs";
import { furnish, OUTSIDE, setUpLink } from "./pages.mjs";

let browser;
let inside;
before(async () => {
  browser = await openBrowser();
  inside = await furnish(browser);
});
after(() => browser.close());

/** Takes a picture, and tells everything that is wrong with the page. */
async function looked(page, { name, path, open, failing }, label, complaints) {
  complaints.length = 0;
  await page.goto(path);
  await page.evaluate(() => customElements.whenDefined("live-updates"));
  if (open) {
    await page.locator(open).click();
    await page.locator(":popover-open").waitFor();
  }
  await picture(page, `${name}-${label}`, { whole: !open && label.startsWith("desktop") });
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  const faults = [...(await violations(page)), ...(wide > screen ? [`${wide} px wide on a screen of ${screen}`] : [])];
  const expected = failing ? /the server responded with a status of (404|410)/ : /^$/;
  faults.push(...complaints.filter((complaint) => !expected.test(complaint)));
  return faults.map((fault) => `${name}: ${fault}`);
}

for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
  for (const theme of ["light", "dark"])
    for (const language of ["en", "zh"]) {
      const label = `${size}-${theme}-${language}`;
      test(`every_page_is_accessible_and_fits_${label.replaceAll("-", "_")}`, async () => {
        const { page, context, complaints } = await visitor(browser, { viewport, theme, language });
        const faults = [];
        const outside = setUpLink ? [...OUTSIDE, { name: "set-up", path: setUpLink }] : OUTSIDE;
        for (const place of outside) faults.push(...(await looked(page, place, label, complaints)));
        await signIn(page);
        for (const place of inside) faults.push(...(await looked(page, place, label, complaints)));
        assert.deepEqual(faults, []);
        await context.close();
      });
    }

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
