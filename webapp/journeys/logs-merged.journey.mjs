// The logs of several tasks as one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { openBrowser, picture, signedIn } from "./browser.mjs";
import { logs, open, row, view } from "./logs.mjs";

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

const WHO = "$PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX";
// the tasks take turns, two seconds apart, so that times tell who was first
const TURNS = `
for i in $(seq 1 4); do
  sleep $((i == 1 ? ${WHO} * 2 : 4))
  for n in $(seq 1 300); do echo "task ${WHO} turn $i line $n"; done
  echo "needle of ${WHO} in turn $i"
done`.trim();
const STEADY = `for i in $(seq 1 3000); do echo "${WHO} says $i"; sleep 0.2; done`;

const shown = (page) =>
  page
    .locator("log-view .row")
    .evaluateAll((all) =>
      all.map((one) => [one.querySelector(".of")?.textContent, one.querySelector(".text").textContent]),
    );
const merge = (page) => page.getByRole("button", { name: "All tasks, merged" }).click();

test("several_tasks_are_one_log_in_the_order_of_their_lines", async () => {
  const name = await desk.printing(STEADY, { instances: 2 });
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "says 5").waitFor();
  await merge(page);
  await page.waitForFunction(() => document.querySelectorAll("log-view .row .of-1").length > 12);
  const all = await shown(page);
  for (const task of ["0", "1"]) {
    const own = all.filter(([label]) => label === `worker ${task}`).map(([, text]) => text);
    const numbers = own.map((text) => Number(/^\d says (\d+)$/.exec(text)[1]));
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => numbers[0] + i),
      "none is missing and none is there twice",
    );
  }
  assert.match(await page.locator("log-view .row .no").last().innerText(), /^\d+$/, "numbers are each log's own");
  await page.locator("log-view").getByRole("button", { name: "Timestamps" }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("log-view .row time")].some((time) => /^\d\d:\d\d:\d\d$/.test(time.textContent)),
  );
  await picture(page, "log-merged");
  assert.deepEqual(await violations(page), []);

  // one is left out, and taken in again
  const chip = page.locator("log-view .log-chip", { hasText: "worker 1" });
  await chip.click();
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll("log-view .row .of")];
    return rows.length > 3 && rows.every((of) => of.textContent === "worker 0");
  });
  await chip.click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("log-view .row .of")].some((of) => of.textContent === "worker 1"),
  );
  assert.deepEqual(complaints, []);
  await context.close();
  await desk.stop(name);
});

test("all_tasks_are_searched_gone_through_and_linked_to_like_one_log", async () => {
  const name = await desk.printing(TURNS, { instances: 2 });
  const { page, context, complaints } = await signedIn(browser);
  await desk.until(name, "SUCCEEDED");
  await open(page, name);
  await merge(page);
  await row(page, "needle of 1 in turn 4").waitFor();

  // upwards by hand: every row of both, each of a turn after the other's turn before
  const seen = new Map();
  for (let still = 0; still < 40; ) {
    const before = seen.size;
    for (const [label, text] of await shown(page)) seen.set(`${label}: ${text}`, true);
    await view(page).evaluate((element) => {
      element.scrollTop -= 1200;
    });
    await page.evaluate(() => new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later))));
    still = seen.size === before ? still + 1 : 0;
  }
  assert.equal(seen.size, 2 * 4 * 301);
  await view(page).press("g");
  await row(page, "task 0 turn 1 line 1").waitFor();
  await view(page).press("G");
  await row(page, "needle of 1 in turn 4").waitFor();

  await page.locator("log-view input[type=search]").fill("needle");
  await page.waitForFunction(() => / of 8$/.test(document.querySelector("log-view .count").textContent));
  await view(page).focus();
  const first = await page.locator("log-view .count").innerText();
  for (
    let at = Number.parseInt(first, 10);
    at !== 1;
    at = Number.parseInt(await page.locator("log-view .count").innerText(), 10)
  ) {
    await view(page).press("N");
    await page.waitForFunction(
      (n) => Number.parseInt(document.querySelector("log-view .count").textContent, 10) !== n,
      at,
    );
  }
  const turns = [1, 2, 3, 4].flatMap((turn) => [0, 1].map((task) => `needle of ${task} in turn ${turn}`));
  // in the order in which they were printed
  for (const [i, needle] of turns.entries()) {
    await page.locator("log-view .row.found", { hasText: needle }).waitFor();
    assert.equal(await page.locator("log-view .count").innerText(), `${i + 1} of 8`);
    await view(page).press("n");
  }

  // a link to a row among the others
  await page.locator("log-view .row", { hasText: "needle of 0 in turn 1" }).locator(".no").click();
  const link = page.url();
  assert.match(link, /#logs=0\.0\.0\.worker@\d+$/);
  const colleague = await signedIn(browser);
  await colleague.page.goto(link);
  const target = colleague.page.locator("log-view .row.target");
  await target.waitFor();
  assert.match(await target.innerText(), /needle of 0 in turn 1/);
  await row(colleague.page, "task 1 turn 1 line 1").waitFor({ state: "attached" });
  assert.deepEqual(colleague.complaints, []);
  await colleague.context.close();

  await page.locator("log-view summary[title=Download]").click();
  const links = await page
    .locator("log-view .log-downloads a")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  assert.deepEqual(
    links,
    [0, 1].flatMap((i) => [`${desk.pathOf(name, i)}?download=1`, `${desk.pathOf(name, i)}.gz`]),
  );
  assert.deepEqual(complaints, []);
  await context.close();
});
