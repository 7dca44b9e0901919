import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { freshName, openBrowser, signedIn } from "./browser.mjs";
import { desk, plain } from "./desk.mjs";

const WORK = "i=0; while true; do i=$((i+1)); echo step $i; sleep 0.2; done";

let browser;
let jobs;
let key;
before(async () => {
  browser = await openBrowser();
  jobs = await desk();
  const name = freshName("trains").replaceAll("-", "_");
  key = await jobs.submit(plain(name, WORK));
  await jobs.until(name, "RUNNING");
});
after(async () => {
  await jobs.stop(key.split("~")[1]);
  await browser.close();
});

/** The job's page with its charts drawn, each with what is under the pointer. */
async function charts() {
  const visit = await signedIn(browser);
  await visit.page.goto(`/jobs/${key}`);
  await visit.page.locator("#panel-metrics").scrollIntoViewIfNeeded();
  // a chart comes with the first value of its family: processors have one a round later than memory
  await visit.page.locator("device-chart[ready] .chart .u-over").nth(1).waitFor();
  // a line needs two points
  await visit.page.waitForFunction(() => /\d/.test(document.querySelector(".chart-values")?.textContent ?? ""));
  return visit;
}

test("a_pointer_on_one_chart_tells_the_values_of_all", async () => {
  const { page, context, complaints } = await charts();
  const figures = page.locator("device-chart .chart");
  await figures
    .first()
    .locator(".u-over")
    .hover({ position: { x: 100, y: 40 } });
  const shown = await page
    .locator("device-chart .u-cursor-x")
    .evaluateAll((all) => all.map((one) => one.style.transform));
  assert.equal(new Set(shown).size, 1, "the line is at the same time in all of them");
  for (const words of await page.locator(".chart-values").allInnerTexts()) assert.match(words, /\d|–/);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("whoever_zooms_one_chart_zooms_all_and_finds_back", async () => {
  const { page, context } = await charts();
  const over = page.locator("device-chart .chart .u-over").first();
  const box = await over.boundingBox();
  const asked = page.waitForRequest((request) => /\/series\?.*from=\d+&to=\d+/.test(request.url()));
  await page.mouse.move(box.x + box.width * 0.3, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await asked;
  const reset = page.locator("device-chart .chart-hint button");
  await reset.waitFor();
  await reset.click();
  await reset.waitFor({ state: "hidden" });
  await context.close();
});

test("a_click_on_a_chart_leads_to_the_log_of_that_second", async () => {
  const { page, context } = await charts();
  const over = page.locator("device-chart .chart .u-over").first();
  const told = page.evaluate(
    () =>
      new Promise((resolve) => document.addEventListener("log-time", (event) => resolve(event.detail), { once: true })),
  );
  const box = await over.boundingBox();
  await over.click({ position: { x: box.width * 0.5, y: 30 } });
  const { src, at } = await told;
  assert.match(src, /\/attempts\/0\/taskRoles\/main\/taskIndex\/0\/attempts\/0\/log$/);
  assert.ok(Math.abs(Date.now() - at) < 600_000);
  await context.close();
});

test("the_cluster_page_shows_every_machine_and_how_it_keeps_tasks_apart", async () => {
  const { page, context, complaints } = await signedIn(browser);
  await page.goto("/cluster");
  await page.locator(".node-row h2").first().waitFor();
  assert.match(await page.locator("#cluster-head").innerText(), /Devices in use/);
  assert.match(await page.locator(".node-row .keeping").first().innerText(), /kept apart/);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});
