import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
async function looked(page, { name, path, open, failing }, { label, language }, complaints) {
  complaints.length = 0;
  await page.goto(path);
  await page.evaluate(() => customElements.whenDefined("live-updates"));
  if (open) {
    await page.locator(open).click();
    await page.locator(":popover-open").waitFor();
  }
  await picture(page, `${name}-${label}`, { whole: !open && label.startsWith("desktop") });
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  // axe sees structure and colours, which the words do not change
  const faults = [
    ...(language === "en" ? await violations(page) : []),
    ...(wide > screen ? [`${wide} px wide on a screen of ${screen}`] : []),
  ];
  const expected = failing ? /the server responded with a status of (404|410)/ : /^$/;
  faults.push(...complaints.filter((complaint) => !expected.test(complaint)));
  return faults.map((fault) => `${name}: ${fault}`);
}

// two at a time: while one is drawn, the other is judged
describe("looks", { concurrency: 2 }, () => {
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
    for (const theme of ["light", "dark"])
      for (const language of ["en", "zh"]) {
        const label = `${size}-${theme}-${language}`;
        test(`every_page_is_accessible_and_fits_${label.replaceAll("-", "_")}`, async () => {
          const { page, context, complaints } = await visitor(browser, { viewport, theme, language });
          const faults = [];
          const outside = setUpLink ? [...OUTSIDE, { name: "set-up", path: setUpLink }] : OUTSIDE;
          for (const place of outside) faults.push(...(await looked(page, place, { label, language }, complaints)));
          await signIn(page);
          for (const place of inside) faults.push(...(await looked(page, place, { label, language }, complaints)));
          assert.deepEqual(faults, []);
          assert.equal(await page.locator("html").getAttribute("lang"), language);
          assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), theme === "dark");
          assert.equal(await page.locator("html").getAttribute("data-theme"), "auto");
          await context.close();
        });
      }
});
