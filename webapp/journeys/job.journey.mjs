import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { freshName, newcomer, openBrowser, opener, picture, signedIn, visitor } from "./browser.mjs";
import { desk, plain } from "./desk.mjs";

const NEVER = { cpuNumber: 100_000 };
const word = (stem) => freshName(stem).replaceAll("-", "_");
const cause = (line, code = 1) => `echo epoch 1; echo "${line}"; exit ${code}`;

let browser;
let jobs;
before(async () => {
  browser = await openBrowser();
  jobs = await desk();
});
after(() => browser.close());

const state = (page) => page.locator("#job-state .state");
const reaches = (page, tone) => page.locator(`#job-state .state.${tone}`).waitFor();

test("a_job_goes_from_the_queue_to_its_end_before_one_s_eyes", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("works");
  const key = await jobs.submit(plain(name, "echo hello; sleep 3"));
  await page.goto(`/jobs/${key}`);
  await page.evaluate(() => {
    window.stillTheSamePage = true;
  });
  await reaches(page, "succeeded");
  assert.equal(await page.evaluate(() => window.stillTheSamePage), true);
  assert.match(await page.locator(".tasks tbody tr").innerText(), /Succeeded/);
  assert.match(await page.locator(".events").innerText(), /^Succeeded\n(.*\n)*main 0 ended well/);
  assert.match(await page.locator(".job-facts").innerText(), /Took\n0:0[2-9]/);
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const { stem, command, code, says, todo, line } of [
  {
    stem: "import",
    command: cause("ModuleNotFoundError: No module named 'torchvision'"),
    code: "232",
    says: "This could not be imported: torchvision",
    todo: "Install it first",
    line: "No module named 'torchvision'",
  },
  {
    stem: "cuda",
    command: cause("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"),
    code: "226",
    says: "The GPU’s memory was not enough",
    todo: "Make the batch or the model smaller",
    line: "CUDA out of memory",
  },
  {
    stem: "command",
    command: "trian.py --epochs 10",
    code: "220",
    says: "There is no command trian.py",
    todo: "Check the command’s spelling",
    line: "trian.py",
  },
  {
    stem: "exit",
    command: "echo bye; exit 3",
    code: "255",
    says: "does not tell why",
    todo: "Read the end of the log",
  },
])
  test(`a_job_that_failed_says_why_${stem}`, async () => {
    const { page, context } = await signedIn(browser);
    const name = word(stem);
    const key = await jobs.submit(plain(name, command));
    await jobs.until(name, "FAILED");
    await page.goto(`/jobs/${key}`);
    const card = page.locator(".ending");
    assert.match(await card.locator("h2").innerText(), new RegExp(says));
    assert.match(await card.locator(".do").innerText(), new RegExp(todo));
    assert.match(await card.locator(".how").innerText(), new RegExp(`Exit code\\n${code}`));
    if (line) assert.match(await card.locator(".told").innerText(), new RegExp(line));
    assert.deepEqual(await violations(page), []);
    await context.close();
  });

test("a_job_that_waits_says_for_what", async () => {
  const { page, context } = await signedIn(browser);
  const key = await jobs.submit(plain(word("waits"), "true", NEVER));
  await page.goto(`/jobs/${key}`);
  await page.locator(".notice.bad", { hasText: "Can never start" }).waitFor();
  assert.match(await page.locator(".notice.bad").innerText(), /needs 100,000 CPUs[\s\S]*Waiting does not help/);
  assert.equal(await state(page).innerText(), "Can not start");
  await context.close();
});

test("every_attempt_of_a_job_that_was_tried_again_has_an_address", async () => {
  const { page, context } = await signedIn(browser);
  const name = word("again");
  const key = await jobs.submit(plain(name, "exit 3", { retryCount: 2 }));
  await jobs.until(name, "FAILED");
  await page.goto(`/jobs/${key}?tab=history`);
  const attempts = page.locator(".attempts tbody tr");
  assert.equal(await attempts.count(), 3, (await attempts.allInnerTexts()).join(" | "));
  await page.locator(".attempts tbody tr:last-child a").click();
  await page.waitForURL(`**/jobs/${key}?attempt=0`);
  await page.locator(".notice", { hasText: "attempt 1 of 3" }).waitFor();
  await page.locator(".ending a", { hasText: "attempt 2" }).click();
  await page.waitForURL(`**/jobs/${key}?attempt=1`);
  await page.locator(".tabs a", { hasText: "Tasks" }).click();
  await page.waitForURL(`**/jobs/${key}?tab=tasks&attempt=1`);
  await page.locator(".tasks .name").click();
  await page.locator("#task", { hasText: "run 1" }).waitFor();
  await context.close();
});

test("what_could_not_be_sent_says_so_and_is_sent_again", async () => {
  const { page, context } = await signedIn(browser);
  const name = word("cut");
  const key = await jobs.submit(plain(name, "sleep 1000"));
  await page.goto(`/jobs/${key}`);
  await reaches(page, "running");
  const lost = /\/stop\b/;
  await page.route(lost, (route) => route.abort());
  await page.locator(opener("stop")).click();
  const stop = page.locator("#stop button[type=submit]");
  await stop.click();
  const told = page.getByRole("alert").filter({ hasText: "could not be reached" });
  await told.waitFor();
  assert.ok(await stop.isEnabled(), "what was asked stays, to be sent again");
  await picture(page, "unsent");
  assert.deepEqual(await violations(page), []);
  await page.locator(".unsent button").click();
  assert.equal(await told.count(), 0);
  assert.ok(await stop.isVisible(), "what was asked stays");
  await stop.click();
  await told.waitFor();
  await page.unroute(lost);
  await stop.click();
  await reaches(page, "stopped");
  assert.equal(await told.count(), 0);
  await context.close();
});

test("a_stop_on_one_page_is_seen_on_another", async () => {
  const one = await signedIn(browser);
  const two = await signedIn(browser, { language: "zh" });
  const name = word("stopped");
  const key = await jobs.submit(plain(name, "sleep 1000"));
  await jobs.until(name, "RUNNING");
  await one.page.goto(`/jobs/${key}?tab=history`);
  await two.page.goto(`/jobs/${key}`);
  await reaches(two.page, "running");
  await one.page.locator(opener("stop")).click();
  await one.page.locator("#stop button[type=submit]").click();
  await reaches(two.page, "stopped");
  assert.match(await state(two.page).innerText(), /已停止/);
  await reaches(one.page, "stopped");
  assert.equal(new URL(one.page.url()).search, "?tab=history");
  assert.match(await one.page.locator(".events").innerText(), /admin asked it to stop/);

  await one.page.locator("form[action*='/start'] button").click();
  await reaches(two.page, "running");
  await jobs.stop(name);
  await reaches(two.page, "stopped");
  await one.page.locator("form[action*='/again'] button").click();
  await one.page.waitForURL(`**/jobs/${key}_2`);
  await one.page.locator(".notice.good", { hasText: name }).waitFor();
  await reaches(one.page, "running");
  await jobs.stop(`${name}_2`);
  assert.deepEqual([...one.complaints, ...two.complaints], []);
  await one.context.close();
  await two.context.close();
});

test("to_a_stranger_the_job_does_not_exist", async () => {
  const name = word("private");
  const key = await jobs.submit(plain(name, "true", NEVER));
  const { page, context } = await newcomer(browser);
  for (const path of [`/jobs/${key}`, `/jobs/${key}?tab=config`, `/jobs/${key}/config`, `/jobs/admin~no_such_job`]) {
    const answer = await page.goto(path);
    assert.equal(answer.status(), 404, path);
  }
  assert.match(await page.locator("h1").innerText(), /There is nothing here/);
  await context.close();
});

test("what_the_reader_did_to_the_page_survives_its_renewal", async () => {
  const { page, context } = await signedIn(browser);
  const name = word("touched");
  const key = await jobs.submit(plain(name, "sleep 1000", { taskNumber: 6 }));
  await jobs.until(name, "RUNNING");
  await page.goto(`/jobs/${key}?tab=history`);
  await page.locator(".events details summary").first().click();
  await page.locator("#tag-menu summary").click();
  await page.locator("#tag").pressSequentially("half a wo");
  await jobs.stop(name);
  await reaches(page, "stopped");
  assert.equal(await page.locator("#tag").inputValue(), "half a wo");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "tag");
  assert.ok((await page.locator(".events details[open]").count()) >= 1);
  await context.close();
});

test("a_panel_is_not_loaded_again_when_the_page_is_renewed", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("panel");
  const key = await jobs.submit(plain(name, "echo hello; sleep 1000"));
  await jobs.until(name, "RUNNING");
  await page.goto(`/jobs/${key}`);
  await page.locator("#panel-log[complete] log-view").waitFor();
  let asked = 0; // others may come into view only now, for the first time
  page.on("request", (request) => {
    if (request.url().includes("/panels/log")) asked++;
  });
  await page.evaluate(() => {
    document.querySelector("#panel-log").firstElementChild.isTheSame = true;
  });
  await jobs.stop(name);
  await reaches(page, "stopped");
  assert.equal(await page.evaluate(() => document.querySelector("#panel-log").firstElementChild.isTheSame), true);
  assert.equal(asked, 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what_a_running_job_puts_out_appears_while_one_looks", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("puts_out");
  const put = (file) =>
    fetch(`${new URL(page.url()).origin}/api/v2/files/admin/content?path=${file}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${jobs.token}` },
      body: "go on",
    });
  const waits = (file) => `until [ -e /userhome/${file} ]; do sleep 0.1; done`;
  const key = await jobs.submit(
    plain(
      name,
      `${waits(`${name}-1`)}; echo one > /output/first.txt; ${waits(`${name}-2`)}; echo two >> /output/first.txt`,
    ),
  );
  await jobs.until(name, "RUNNING");
  await page.goto(`/jobs/${key}`);
  const panel = page.locator("#panel-output");
  await panel.scrollIntoViewIfNeeded();
  await panel.getByText("What tasks write to /output").waitFor();
  await panel.evaluate((frame) => {
    frame.isTheSame = true;
  });
  await put(`${name}-1`);
  await panel.locator("tr", { hasText: "first.txt" }).getByText("4 B", { exact: true }).waitFor();
  await panel.getByRole("link", { name: "Open in Files" }).waitFor();
  assert.equal(await panel.locator(opener("remove-output")).count(), 0);
  await put(`${name}-2`);
  await panel.locator("tr", { hasText: "first.txt" }).getByText("8 B", { exact: true }).waitFor();
  await panel.locator(opener("remove-output")).waitFor();
  await panel.locator("live-updates").waitFor({ state: "detached" });
  assert.equal(await panel.evaluate((frame) => frame.isTheSame), true);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("tags_filters_and_menus_work_by_keyboard", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("keys");
  const key = await jobs.submit(plain(name, "exit $((PAI_TASK_INDEX % 2))", { taskNumber: 4 }));
  await jobs.until(name, "FAILED");
  await page.goto(`/jobs/${key}`);
  await page.locator("#tag-menu summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("vision");
  await page.keyboard.press("Enter");
  const chip = page.locator(".tags form.chip", { hasText: "vision" });
  await chip.waitFor();
  await chip.locator("button").focus();
  await page.keyboard.press("Enter");
  await chip.waitFor({ state: "detached" });

  await page.locator(".actions .menu summary").focus();
  await page.keyboard.press("Enter");
  await page.locator(".actions .menu .entry").first().waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".actions .menu .entry").first().waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement?.localName), "summary");

  await page.locator(".tabs a", { hasText: "Tasks" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".filters a", { hasText: "Failed" }).click();
  await page.waitForURL((url) => url.searchParams.get("state") === "failed");
  assert.ok((await page.locator(".tasks tbody tr").count()) >= 1);
  assert.equal(await page.locator(".tasks .state.succeeded").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the_whole_page_works_without_script", async () => {
  const { page, context } = await visitor(browser, { javaScriptEnabled: false });
  await page.goto("/sign-in");
  await page.locator("#name").fill("admin");
  await page.locator("#password").fill(process.env.SLUICE_ADMIN_PASSWORD ?? "");
  await page.locator("form[action='/sign-in'] button[type=submit]").click();
  const name = word("plain");
  const key = await jobs.submit(plain(name, "true", NEVER));
  await page.goto(`/jobs/${key}`);
  for (const tab of ["tasks", "history", "config", "now"]) {
    await page
      .locator(`.tabs a[href*='${tab === "now" ? key : `tab=${tab}`}']`)
      .first()
      .click();
    await page.locator("h1", { hasText: name }).waitFor();
  }
  await page.locator("#tag-menu summary").click();
  await page.locator("#tag").fill("a, b");
  await page.locator("form[action*='/tags'] button.button").click();
  await page.locator("#tag[aria-invalid=true]").waitFor();
  assert.equal(await page.locator("#tag").inputValue(), "a, b");
  await page.locator("#tag").fill("plain");
  await page.locator("form[action*='/tags'] button.button").click();
  await page.locator(".tags form.chip", { hasText: "plain" }).waitFor();
  await page.locator(opener("stop")).click();
  await page.locator("#stop button[type=submit]").click();
  await reaches(page, "stopped");
  const download = page.waitForEvent("download");
  await page.locator(".actions .menu summary").click();
  await page.locator(".actions .menu .entry").nth(1).click();
  assert.equal((await download).suggestedFilename(), `${name}.yaml`);
  await context.close();
});

test("a_job_of_two_thousand_tasks_is_quick_to_look_at", async () => {
  const { page, context } = await signedIn(browser);
  const key = await jobs.submit(plain(word("huge"), "true", { ...NEVER, taskNumber: 2000 }));
  await page.goto(`/jobs/${key}`);
  await page.locator("a", { hasText: "All 2,000 tasks" }).click();
  await page.locator(".pager", { hasText: "1 to 100 of 2,000" }).waitFor();
  assert.equal(await page.locator(".tasks tbody tr").count(), 100);
  await page.locator(".pager a[rel=next]").click();
  await page.locator(".pager", { hasText: "101 to 200 of 2,000" }).waitFor();
  await context.close();
});
