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

/** Refuses the first few of these requests as a gateway does that has too many of them, and counts how many were under way at once. */
async function refuseFirst(page, pattern, refusals) {
  const seen = { refused: 0, atOnce: 0, most: 0 };
  await page.route(pattern, async (route) => {
    if (seen.refused < refusals) {
      seen.refused++;
      const body = JSON.stringify({ code: "TooManyRequestsError", message: "Wait." });
      return route.fulfill({ status: 429, headers: { "Retry-After": "1" }, contentType: "application/json", body });
    }
    seen.most = Math.max(seen.most, ++seen.atOnce);
    const answer = await route.fetch();
    seen.atOnce--;
    await route.fulfill({ response: answer });
  });
  return seen;
}

test("eight_tasks_get_their_line_numbers_and_are_searched_though_the_gateway_refuses_some", async () => {
  const name = await desk.printed(
    `for i in $(seq 1 6000); do echo "${WHO} says $i, which is a line of some length"; done; echo "needle of ${WHO}"`,
    { instances: 8 },
  );
  const { page, context, complaints } = await signedIn(browser);
  const counted = await refuseFirst(page, /\/log\/lines\?/, 3);
  const searched = await refuseFirst(page, /grep=/, 3);
  await open(page, name);
  await row(page, "needle of").waitFor();
  await merge(page);
  await page.waitForFunction(() => document.querySelectorAll("log-view .row .of").length > 20);
  // in all eight, and 6,001 is the last line of each
  await page.waitForFunction(() => {
    const numbers = [...document.querySelectorAll("log-view .row")].map((one) => one.querySelector(".no").textContent);
    return numbers.length > 20 && numbers.every((number) => /^\d+$/.test(number));
  });
  assert.equal(await row(page, "needle of").locator(".no").innerText(), "6001");
  await page.locator("log-view input[type=search]").fill("needle of");
  await page.waitForFunction(() => /^\d of 8$/.test(document.querySelector("log-view .count").textContent));
  assert.deepEqual([counted.refused, searched.refused], [3, 3]);
  // the one of the single log, which was given up, may not have been over yet
  assert.ok(counted.most <= 2 && searched.most === 2, `${counted.most} and ${searched.most} at once, of four`);
  await picture(page, "log-merged-eight");
  assert.deepEqual(
    complaints.filter((text) => !text.includes("429")),
    [],
  );
  await context.close();
});

test("a_merged_log_names_the_task_whose_log_is_deleted_and_goes_on_without_it", async () => {
  const name = await desk.printed(`for i in $(seq 1 9000); do echo "${WHO} says $i"; done; echo "needle of ${WHO}"`, {
    instances: 3,
  });
  const { page, context } = await signedIn(browser);
  const gone = { code: "GoneError", message: "This log was deleted." };
  await page.route(/taskIndex\/1\/.*\/log(\/|\?)/, (route) =>
    route.fulfill({ status: 410, contentType: "application/json", body: JSON.stringify(gone) }),
  );
  await page.routeWebSocket(/taskIndex\/1\//, (socket) => socket.close());
  await open(page, name);
  await row(page, "needle of").waitFor();
  await merge(page);
  const foot = page.locator("log-view .log-foot > span").first();
  const ended = /^Ended with exit code 0 at byte [\d,]+, all [\d,]+ stored · deleted: worker 1$/;
  await foot.filter({ hasText: ended }).waitFor();
  assert.equal(await foot.getAttribute("class"), "warn");
  await page.locator("log-view input[type=search]").fill("needle of");
  await page.waitForFunction(() =>
    /^\d of 2 · not searched: worker 1$/.test(document.querySelector("log-view .count").textContent),
  );
  await picture(page, "log-merged-without");
  // up to the beginning of the others
  await view(page).press("g");
  await row(page, "0 says 1").waitFor();
  await context.close();
});
