// The logs of several tasks as one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { openBrowser, picture, signedIn } from "./browser.mjs";
import { logs, open, row } from "./logs.mjs";

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

const WHO = "$PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX";
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
