// Jobs in containers, as their owner sees them: the image, the log while it grows, a stop, and why an image did not come.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

process.env.SLUICE_URL = process.env.SLUICE_DOCKER_URL ?? process.env.SLUICE_URL;
const { violations } = await import("./axe.mjs");
const { freshName, openBrowser, opener, PHONE, picture, signedIn } = await import("./browser.mjs");
const { desk, plain } = await import("./desk.mjs");
const { slowRegistry } = await import("./registry.mjs");

const word = (stem) => freshName(stem).replaceAll("-", "_");
const reaches = (page, tone) => page.locator(`#job-state .state.${tone}`).waitFor();
const inShell = (name, command) => ({ ...plain(name, command), image: "shell:1" });

let browser;
let jobs;
before(async () => {
  browser = await openBrowser();
  jobs = await desk();
});
after(() => browser.close());

const written = (name, command) => `protocolVersion: 2
name: ${name}
type: job
prerequisites:
  - { type: dockerimage, name: shell, uri: "shell:1" }
taskRoles:
  main:
    instances: 1
    dockerImage: shell
    resourcePerInstance: { cpu: 0, memoryMB: 64, gpu: 0 }
    commands:
      - ${JSON.stringify(command)}
`;

test("a_job_that_is_written_on_the_page_runs_in_its_image_with_its_log_before_one_s_eyes", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const name = word("boxed");
  await page.goto("/jobs/new");
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.locator(".cm-content").evaluate(
    (content, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    written(name, "echo one; sleep 2; echo two; sleep 600"),
  );
  await page.locator("button.send").click();
  await page.waitForURL((url) => url.pathname.endsWith(`~${name}`));
  await reaches(page, "running");
  await page.locator("log-view .row", { hasText: "two" }).first().waitFor();
  await picture(page, "docker-running");
  await page.locator(opener("stop")).click();
  await page.locator("#stop button[type=submit]").click();
  await reaches(page, "stopped");
  await page.locator(".events", { hasText: /started on \S+ in sha256:[0-9a-f]{64}/i }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("how_far_an_image_has_come_is_on_the_page_and_moves", async () => {
  const registry = await slowRegistry();
  const name = word("fetched");
  try {
    const key = await jobs.submit({ ...inShell(name, "true"), image: registry.image });
    for (const { language, says, ...options } of [
      { language: "en", says: /is being fetched: \d+ % · \d+ \/ \d+ MiB/, theme: "light" },
      { language: "zh", says: /正在拉取镜像.*：\d+ % · \d+ \/ \d+ MiB/, theme: "dark" },
      { language: "zh", says: /正在拉取镜像.*：\d+ % · \d+ \/ \d+ MiB/, theme: "light", viewport: PHONE },
      { language: "en", says: /is being fetched: \d+ % · \d+ \/ \d+ MiB/, theme: "dark", viewport: PHONE },
    ]) {
      const { page, context } = await signedIn(browser, { language, ...options });
      await page.goto(`/jobs/${key}`);
      const told = page.getByText(says).first();
      await told.waitFor();
      const first = await told.textContent();
      assert.deepEqual(await violations(page), []);
      await picture(page, `docker-fetched-${language}-${options.theme}${options.viewport ? "-phone" : ""}`);
      await page.waitForFunction((before) => !document.body.textContent.includes(before), first);
      await context.close();
    }
    await jobs.stop(name);
  } finally {
    registry.close();
  }
});

for (const { language, says, options } of [
  { language: "en", says: /The registry registry\.invalid can not be reached/, options: {} },
  { language: "zh", says: /目前无法连接镜像仓库 registry\.invalid/, options: { viewport: PHONE, theme: "dark" } },
])
  test(`why_an_image_did_not_come_is_on_the_page_in_${language}`, async () => {
    const { page, context } = await signedIn(browser, { language, ...options });
    const name = word("away");
    const key = await jobs.submit({ ...inShell(name, "true"), image: "registry.invalid/team/tools:1" });
    await page.goto(`/jobs/${key}`);
    await page.getByText(says).first().waitFor();
    assert.deepEqual(await violations(page), []);
    await picture(page, `docker-image-away-${language}`);
    await jobs.stop(name);
    await context.close();
  });

test("a_running_task_is_saved_as_an_image_used_proposed_and_deleted", async () => {
  const name = word("kept");
  const key = await jobs.submit(inShell(name, "echo made > /tmp/made; sleep 600"));
  await jobs.until(name, "RUNNING");
  const { page, context, complaints } = await signedIn(browser);
  const watching = await context.newPage();
  await watching.goto("/images/saved");
  await watching.evaluate(() => {
    window.stillTheSamePage = true;
  });
  const seen = watching.locator(".list > li", { hasText: `${name}:1` });
  await page.goto(`/jobs/${key}`);
  await page.locator("#panel-output").scrollIntoViewIfNeeded();
  await page.getByText("Save a running task as an image").click();
  await page.locator("form[action$='/image'] input[name=name]").fill(`${name}:1`);
  await picture(page, "saving-en-light");
  await page.locator("form[action$='/image'] button").click();
  await page.getByText(/Saved. Name the image of a job saved\.sluice/).waitFor();
  await seen.getByRole("link", { name: "Use" }).waitFor();
  await page.goto("/images");
  await page.locator(".places a", { hasText: "Saved images" }).click();
  const row = page.locator(".list > li", { hasText: `${name}:1` });
  await row.locator(`a[href='/jobs/${key}']`).waitFor();
  for (const options of [
    { language: "en", theme: "light" },
    { language: "zh", theme: "dark" },
    { language: "zh", theme: "light", viewport: PHONE },
    { language: "en", theme: "dark", viewport: PHONE },
  ]) {
    const other = await signedIn(browser, options);
    await other.page.goto("/images/saved");
    await other.page.locator(".list > li", { hasText: `${name}:1` }).waitFor();
    assert.deepEqual(await violations(other.page), []);
    await picture(other.page, `saved-images-${options.language}-${options.theme}${options.viewport ? "-phone" : ""}`);
    await other.context.close();
  }
  await row.getByRole("link", { name: "Add to the catalogue" }).click();
  await page.getByText("It was saved of a task").waitFor();
  await picture(page, "saved-image-proposed");
  await page.goBack();
  await row.getByRole("link", { name: "Use" }).click();
  await page.locator(".cm-content", { hasText: `saved.sluice/` }).waitFor();
  await page.goto("/images/saved");
  await row.locator("button[popovertarget^=drop]").first().click();
  await page.locator("dialog:popover-open button[type=submit]").click();
  await page.getByText(`${name}:1 is deleted.`).waitFor();
  assert.equal(await row.count(), 0);
  await seen.waitFor({ state: "detached" });
  assert.equal(await watching.evaluate(() => window.stillTheSamePage), true, "nothing was loaded again");
  assert.deepEqual(complaints, []);
  await jobs.stop(name);
  await context.close();
});

test("an_image_name_with_options_is_refused_by_name", async () => {
  const { page, context } = await signedIn(browser);
  const name = word("hostile");
  const key = await jobs.submit({ ...inShell(name, "true"), image: "-v /:/host shell:1" });
  await page.goto(`/jobs/${key}`);
  await reaches(page, "failed");
  await page.getByText("This is no name of an image: -v /:/host shell:1").first().waitFor();
  await picture(page, "docker-image-refused");
  await context.close();
});
