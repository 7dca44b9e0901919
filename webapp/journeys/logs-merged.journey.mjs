// The logs of several tasks as one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { admin, freshName, openBrowser, picture, signedIn, signIn, visitor } from "./browser.mjs";
import { logs, open, row, view } from "./logs.mjs";

/** A gateway whose folder is known here, so that tasks can be told when to print. */
const near = process.env.SLUICE_SMALL_URL;
const folder = process.env.SLUICE_SMALL_DATA;

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

const WHO = "$PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX";
// each turn begins when a file is there
const TURNS = (go) =>
  `
for i in 1 2 3 4; do
  until [ -e /userhome/${go}-$i-${WHO} ]; do sleep 0.1; done
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

/** Two tasks that print in turns, each after the gateway has noted when the other did: so their order is known and not guessed. */
async function takingTurns(keeper) {
  const go = freshName("turn");
  const name = await keeper.printing(TURNS(go), { instances: 2 });
  for (const turn of [1, 2, 3, 4])
    for (const task of [0, 1]) {
      writeFileSync(join(folder, "homes", admin.name, `${go}-${turn}-${task}`), "");
      await keeper.noted(name, task, `needle of ${task} in turn ${turn}`);
    }
  await keeper.until(name, "SUCCEEDED");
  return name;
}

async function reader() {
  const visit = await visitor(browser, { baseURL: near });
  await signIn(visit.page);
  return visit;
}

test("all_tasks_are_searched_gone_through_and_linked_to_like_one_log", {
  skip: !near && "needs SLUICE_SMALL_URL",
}, async () => {
  const keeper = await logs(near);
  const name = await takingTurns(keeper);
  const { page, context, complaints } = await reader();
  await open(page, name);
  await merge(page);
  await row(page, "needle of 1 in turn 4").waitFor();

  // upwards by hand: every row of both
  const seen = new Set();
  const whole = 2 * 4 * 301;
  for (const end = Date.now() + 60_000; seen.size < whole && Date.now() < end; ) {
    for (const [label, text] of await shown(page)) seen.add(`${label}: ${text}`);
    await view(page).evaluate((element) => {
      element.scrollTop -= 1200;
    });
    await page.evaluate(() => new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later))));
  }
  assert.equal(seen.size, whole);
  await view(page).press("g");
  await row(page, "task 0 turn 1 line 1").waitFor();
  await view(page).press("G");
  await row(page, "needle of 1 in turn 4").waitFor();

  await page.locator("log-view input[type=search]").fill("needle");
  const count = page.locator("log-view .count");
  await page.waitForFunction(() => /^[1-8] of 8$/.test(document.querySelector("log-view .count").textContent));
  await view(page).focus();
  const turns = [1, 2, 3, 4].flatMap((turn) => [0, 1].map((task) => `needle of ${task} in turn ${turn}`));
  const led = async (at) => {
    await count.filter({ hasText: new RegExp(`^${at} of 8$`) }).waitFor();
    await page.locator("log-view .row.found", { hasText: turns[at - 1] }).waitFor();
  };
  // from wherever it began, on to the last, round to the first, and through all in the order in which they were printed
  let at = Number.parseInt(await count.innerText(), 10);
  await led(at);
  for (let steps = 0; steps < 16; steps++) {
    at = (at % 8) + 1;
    await view(page).press("n");
    await led(at);
  }
  while (at !== 1) {
    at--;
    await view(page).press("N");
    await led(at);
  }

  // a link to a row among the others
  await page.locator("log-view .row", { hasText: "needle of 0 in turn 1" }).locator(".no").click();
  const link = page.url();
  assert.match(link, /#logs=0\.0\.0\.worker@\d+$/);
  const colleague = await reader();
  await colleague.page.goto(link);
  const target = colleague.page.locator("log-view .row.target");
  await target.waitFor();
  assert.match(await target.innerText(), /needle of 0 in turn 1/);
  assert.deepEqual(
    await colleague.page.evaluate(() => {
      const row = document.querySelector("log-view .row.target");
      return [row.previousElementSibling, row.nextElementSibling].map((one) => one.querySelector(".text").textContent);
    }),
    ["task 0 turn 1 line 300", "task 1 turn 1 line 1"],
    "where it stands among the others",
  );
  assert.deepEqual(colleague.complaints, []);
  await colleague.context.close();

  await page.locator("log-view summary[title=Download]").click();
  const links = await page
    .locator("log-view .log-downloads a")
    .evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  assert.deepEqual(
    links,
    [0, 1].flatMap((i) => [`${keeper.pathOf(name, i)}?download=1`, `${keeper.pathOf(name, i)}.gz`]),
  );
  assert.deepEqual(complaints, []);
  await context.close();
});
