// A job is written in the form and as text, judged before it is sent, and sent once.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import {
  admin,
  freshName,
  gateway,
  openBrowser,
  opener,
  PHONE,
  picture,
  signedIn,
  signIn,
  visitor,
} from "./browser.mjs";

const word = (stem) => freshName(stem).replaceAll("-", "_");
const textOf = (page) => page.locator("#text").evaluate((area) => area.value);
const field = (page, label) => page.locator("job-form").getByLabel(label, { exact: true }).first();
const verdict = (page, state) => page.locator(`#verdict [data-state=${state}]`).waitFor();
const brief = (page, state) => page.locator(`.brief[data-state=${state}]`).waitFor();

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

async function writing(query = "", options) {
  const visit = await signedIn(browser, options);
  await visit.page.goto(`/jobs/new${query}`);
  await visit.page.locator(".cm-content").waitFor({ state: "attached" });
  return visit;
}

/** Puts a whole text into the editor, as a paste does. */
async function write(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.locator(".cm-content").evaluate((content, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

async function stop(page, name) {
  await page.request.put(`${gateway}/api/v2/jobs/${admin.name}~${name}/executionType`, {
    data: { value: "STOP" },
    headers: { Origin: gateway },
  });
}

test("an_app_is_ticked_for_the_running_job_and_stands_in_the_text", async () => {
  const { page, context, complaints } = await writing("?template=hello");
  const tick = field(page, "JupyterLab");
  assert.equal(await tick.isChecked(), false);
  await tick.check();
  await field(page, "TensorBoard").check();
  await page.waitForFunction(() =>
    /endpoints:[^}]*jupyterlab[^}]*tensorboard/s.test(document.querySelector("#text").value),
  );
  await tick.uncheck();
  await page.waitForFunction(() => !document.querySelector("#text").value.includes("jupyterlab"));
  await write(
    page,
    (await textOf(page)).replace(/- ?tensorboard|tensorboard(?=[\s,\]])/, (found) =>
      found.replace("tensorboard", "{recipe: jupyterlab, name: mine}"),
    ),
  );
  await page.waitForFunction((box) => box.checked, await tick.elementHandle());
  assert.deepEqual(complaints, []);
  await context.close();
});

test("form_and_text_stay_in_step_and_comments_stay", async () => {
  const { page, context, complaints } = await writing("?template=cifar10-tensorflow");
  const before = await textOf(page);
  const name = word("step");
  await field(page, "Name").fill(name);
  await field(page, "CPUs").fill("12");
  await field(page, "Device type").fill("H100");
  const after = await textOf(page);
  assert.equal(
    after,
    before
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace("cpu: 8", "cpu: 12")
      .concat("extras:\n  sluice:\n    devices:\n      type: H100\n"),
    "only what was changed is written",
  );

  await write(page, after.replace("cpu: 12", "cpu: 3 # is enough").replace("instances: 1", "instances: 2"));
  await page.waitForFunction(() => document.querySelector("[data-v2='instances'] input").value === "2");
  assert.equal(await field(page, "CPUs").inputValue(), "3");
  await field(page, "CPUs").fill("4");
  assert.match(await textOf(page), /cpu: 4 # is enough/);

  await write(page, "taskRoles: [");
  await page.locator(".unreadable").waitFor();
  assert.equal(await field(page, "Name").isDisabled(), true, "what can not be read can not be written by the form");
  await page.locator(".cm-content").press("ControlOrMeta+z");
  await page.locator(".unreadable").waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_job_of_one_task_becomes_one_of_several_nodes_or_roles_and_shows_what_it_will_look_like", async () => {
  const { page, context, complaints } = await writing("?template=hello");
  const kind = field(page, "Kind");
  const text = page.locator("#text");
  assert.equal(await kind.inputValue(), "regular");
  await kind.selectOption("nodes");
  assert.match(await text.inputValue(), /instances: 2/);
  await page.locator(".outlook li", { hasText: "rank 1" }).waitFor();
  await kind.selectOption("roles");
  assert.match(await text.inputValue(), /^ {2}ps:/m);
  await page.locator(".outlook li", { hasText: "ps 0" }).waitFor();
  await kind.selectOption("regular");
  assert.doesNotMatch(await text.inputValue(), /^ {2}ps:|instances: 2/m);
  await write(page, (await text.inputValue()).replace(/instances: \d+/, "instances: 3"));
  await page.waitForFunction(() => document.querySelector("[data-kind=kind] select")?.value === "nodes");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("faults_of_the_server_stand_in_the_text_in_the_form_and_in_a_list", async () => {
  const { page, context } = await writing();
  await field(page, "Memory (MB)").fill("plenty");
  await verdict(page, "faults");
  const item = page.locator("#verdict li[data-path='taskRoles.main.resourcePerInstance.memoryMB']");
  assert.match(await item.innerText(), /Line \d+\s+This must be a whole number\s+Write digits/);
  assert.equal(await field(page, "Memory (MB)").getAttribute("aria-invalid"), "true");
  await page.locator(".cm-lintRange-error", { hasText: "plenty" }).waitFor();
  await item.locator("a").click();
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("cm-content")), true);
  await picture(page, "submit-faults");
  await page.locator("button.send").click();
  await page.locator("#text[aria-invalid=true]").waitFor({ state: "attached" });
  assert.match(await textOf(page), /memoryMB: plenty/, "what was typed is still there");
  await field(page, "Memory (MB)").fill("64");
  await verdict(page, "now");
  await page.locator(".cm-lintRange-error").waitFor({ state: "detached" });
  await context.close();
});

test("the_editor_completes_fields_from_the_schema_and_explains_them", async () => {
  const { page, context } = await writing();
  await page.waitForLoadState("networkidle");
  await write(page, "protocolVersion: 2\nname: x\ntaskRoles:\n  main:\n    inst");
  await page.keyboard.press("Control+Space");
  const options = page.locator(".cm-tooltip-autocomplete li");
  await options.filter({ hasText: "instances" }).waitFor();
  assert.equal(await options.filter({ hasText: "prerequisites" }).count(), 0, "what does not fit is not offered");
  await page.locator(".cm-completionInfo", { hasText: "How many tasks" }).waitFor();
  await picture(page, "submit-completion");
  await page.waitForTimeout(100); // CodeMirror takes no Enter in the first moments of a list, so that nobody accepts by accident
  await page.keyboard.press("Enter");
  assert.match(await textOf(page), /\n {4}instances: $/);
  await context.close();
});

test("it_says_whether_a_job_starts_waits_or_never_can", async () => {
  const { page, context } = await writing();
  const { cpus } = await page.evaluate(async () => {
    const all = await (await fetch("/api/v2/virtual-clusters")).json();
    return { cpus: Math.floor(all.default.resourcesTotal?.cpu ?? navigator.hardwareConcurrency) };
  });
  const name = word("holder");
  await field(page, "Name").fill(name);
  // other journeys' jobs may hold a part of a processor
  await field(page, "CPUs").fill(String(Math.max(1, cpus - 1)));
  await field(page, "Command").fill("sleep 600");
  await verdict(page, "now");
  assert.match(await page.locator("#verdict").innerText(), /On \S/, "the machine is named");
  await page.locator("button.send").click();
  await page.waitForURL(`**/jobs/${admin.name}~${name}`);
  await page.goto("/jobs/new");
  await field(page, "CPUs").fill(String(cpus));
  await verdict(page, "waits");
  assert.match(await page.locator("#verdict").innerText(), new RegExp(`Will wait[^]*${admin.name} `));
  await field(page, "Devices").fill("4");
  await field(page, "Device type").fill("H100");
  await verdict(page, "never");
  assert.match(await page.locator("#verdict").innerText(), /4 × H100/);
  await brief(page, "never");
  assert.match(await page.locator(".brief").innerText(), /Can not run here · \S/, "the reason too, without scrolling");
  await picture(page, "submit-never");
  await stop(page, name);
  await context.close();
});

test("the_four_files_that_users_have_are_imported_unchanged", async () => {
  const { page, context } = await writing();
  for (const file of ["hello", "mnist", "imagenet", "cifar"]) {
    const text = readFileSync(new URL(`../../backend/src/test/resources/jobs/${file}.json`, import.meta.url), "utf8");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: `${file}.json`, mimeType: "application/json", buffer: Buffer.from(text) });
    await page.locator(".notice.good", { hasText: `${file}.json` }).waitFor();
    assert.equal(await textOf(page), text);
    const job = JSON.parse(text);
    assert.equal(await field(page, "Name").inputValue(), job.jobName);
    assert.equal(await field(page, "Devices").inputValue(), String(job.taskRoles[0].gpuNumber));
    assert.match(await page.locator(".kind").innerText(), /JSON · protocol 1/);
    await page.locator("#verdict :is([data-state=never], [data-state=now], [data-state=waits])").waitFor();
    await field(page, "Name").fill("renamed");
    assert.equal(await textOf(page), text.replace(`"${job.jobName}"`, '"renamed"'));
  }
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "picture.png", mimeType: "image/png", buffer: Buffer.from([0x89, 0xff]) });
  await page.locator(".notice.bad").waitFor();
  await context.close();
});

test("a_template_is_used_kept_shared_renamed_and_deleted", async () => {
  const { page, context } = await writing();
  await page.locator(opener("templates")).click();
  await picture(page, "submit-templates");
  await page.locator("[data-template=progress]").click();
  await page.locator(".notice", { hasText: "Progress bar" }).waitFor();
  assert.match(await textOf(page), /rewrites its line/);
  const name = word("mine");
  await page.locator(opener("keep")).click();
  await page.locator("#keep-name").fill(name);
  await page.locator("#keep .tick input").check();
  await picture(page, "submit-keep");
  await page.locator("#keep button[formaction]").click();
  await page.locator(".notice.good", { hasText: name }).waitFor();
  assert.match(await textOf(page), /rewrites its line/, "the page is as it was");

  await page.goto("/jobs/templates");
  const row = page.locator("li.template", { hasText: name });
  await row.locator("summary").click();
  await row.getByLabel("Name").fill(`${name}2`);
  await row.getByRole("button", { name: "Save" }).click();
  const renamed = page.locator("li.template", { hasText: `${name}2` });
  await renamed.waitFor();
  await picture(page, "submit-shelf", { whole: true });
  await renamed.getByRole("link").click();
  await page.locator(".notice", { hasText: `${name}2` }).waitFor();
  await page.goto("/jobs/templates");
  await renamed.locator("summary").click();
  await renamed.locator("button.danger").first().click();
  await renamed.locator("dialog button[type=submit]").click();
  await renamed.waitFor({ state: "detached" });
  await context.close();
});

test("the_first_templates_are_sent_as_they_come_and_run", async () => {
  const { page, context, complaints } = await writing();
  for (const template of ["progress", "hello"]) {
    const name = word(template);
    await page.goto(`/jobs/new?template=${template}`);
    await field(page, "Name").fill(name);
    await page.waitForFunction((typed) => document.querySelector("#text").value.includes(typed), name);
    await page.locator("button.send").click();
    await page.waitForURL(`**/jobs/${admin.name}~${name}`);
    // the one takes half a minute, and is seen to its end in GoodJobsIT
    const state = template === "hello" ? "Succeeded" : "Running";
    await page.locator(".tasks tbody tr", { hasText: state }).waitFor();
    if (template === "progress") await stop(page, name);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_clone_asks_for_its_secrets_anew", async () => {
  const { page, context } = await writing("?template=hello");
  const name = word("secret");
  await field(page, "Name").fill(name);
  await field(page, "Command").fill("test -n <% $secrets.token %>");
  const secrets = page.locator("fieldset[data-kind=secrets]");
  await secrets.locator("button.add").click();
  await secrets.locator("li input").nth(0).fill("token");
  await secrets.locator("li input").nth(1).fill("hunter2");
  await verdict(page, "now");
  assert.equal(
    await page.evaluate(() => Object.values(sessionStorage).some((kept) => kept.includes("hunter2"))),
    false,
  );
  await page.locator("button.send").click();
  await page.waitForURL(`**/jobs/${admin.name}~${name}`);
  await page.goto(`/jobs/new?clone=${admin.name}~${name}`);
  await page.locator(".notice.warning", { hasText: "enter them again" }).waitFor();
  assert.match(await textOf(page), new RegExp(`name: ${name}_2`));
  assert.equal((await page.content()).includes("hunter2"), false);
  await verdict(page, "faults");
  assert.equal(await secrets.locator("li input").nth(0).inputValue(), "token", "the name is known, the value is not");
  await secrets.locator("li input").nth(1).fill("hunter2");
  await verdict(page, "now");
  await context.close();
});

test("two_clicks_make_one_job_and_a_taken_name_offers_a_free_one", async () => {
  const { page, context } = await writing();
  const name = word("once");
  await field(page, "Name").fill(name);
  await verdict(page, "now");
  const body = await page.locator("form.job").evaluate((form) => new URLSearchParams(new FormData(form)).toString());
  const send = () =>
    page.request.post(`${gateway}/jobs/new`, {
      data: body,
      headers: { Origin: gateway, "Content-Type": "application/x-www-form-urlencoded" },
      maxRedirects: 0,
    });
  const answers = await Promise.all([send(), send(), send()]);
  assert.deepEqual(
    answers.map((answer) => [answer.status(), answer.headers().location]),
    Array(3).fill([303, `/jobs/${admin.name}~${name}`]),
  );
  await field(page, "CPUs").fill("2");
  await field(page, "CPUs").fill("1");
  await verdict(page, "taken");
  await page.getByRole("button", { name: `Use ${name}_2` }).click();
  await verdict(page, "now");
  assert.match(await textOf(page), new RegExp(`^name: ${name}_2$`, "m"));
  await context.close();
});

test("nothing_typed_is_lost_by_a_reload_a_sign_out_or_a_gateway_that_is_away", async () => {
  const { page, context } = await writing();
  const name = word("draft");
  await field(page, "Name").fill(name);
  await page.waitForFunction((mine) => Object.values(sessionStorage).some((kept) => kept.includes(mine)), name);
  await page.reload();
  await page.locator(".notice", { hasText: "Your draft is back" }).waitFor();
  assert.equal(await field(page, "Name").inputValue(), name);

  await page.route("**/jobs/new", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
  await page.locator("button.send").click();
  await page.locator(".notice.bad", { hasText: "can not be reached" }).waitFor();
  assert.match(await textOf(page), new RegExp(name));
  await page.unroute("**/jobs/new");

  await context.clearCookies();
  await page.locator("button.send").click();
  await page.waitForURL("**/sign-in*");
  await page.locator("#name").fill(admin.name);
  await page.locator("#password").fill(admin.password);
  await page.locator("form[action='/sign-in'] button[type=submit]").click();
  await page.waitForURL("**/jobs/new");
  await page.locator(".cm-content").waitFor();
  assert.equal(await field(page, "Name").inputValue(), name);
  await page.getByRole("button", { name: "Start anew" }).click();
  assert.doesNotMatch(await textOf(page), new RegExp(name));
  await context.close();
});

test("without_a_script_a_textarea_tells_its_faults_and_submits", async () => {
  const { page, context } = await visitor(browser, { javaScriptEnabled: false });
  await signIn(page);
  await page.goto("/jobs/new");
  const name = word("plain");
  const text = await page.locator("#text").inputValue();
  await page
    .locator("#text")
    .fill(text.replace("memoryMB: 256", "memoryMB: lots").replace(/^name: .*/m, `name: ${name}`));
  await page.locator("button.send").click();
  assert.match(await page.locator("#verdict .faults").innerText(), /Line \d+\s+This must be a whole number/);
  assert.match(await page.locator("#text").inputValue(), /memoryMB: lots/);
  const link = await page.locator("#verdict .faults a").getAttribute("href");
  await page.locator(`ol.numbered li${link}`, { hasText: "memoryMB: lots" }).waitFor();
  await picture(page, "submit-without-script", { whole: true });
  await page.locator("#text").fill((await page.locator("#text").inputValue()).replace("lots", "64"));
  await page.locator("button.send").click();
  await page.waitForURL(`**/jobs/${admin.name}~${name}`);
  await context.close();
});

test("in_chinese_and_on_a_phone_it_is_as_good", async () => {
  for (const theme of ["light", "dark"]) {
    const { page, context, complaints } = await writing("?template=distributed-2-nodes", {
      viewport: PHONE,
      language: "zh",
      theme,
    });
    await verdict(page, "never");
    await page.locator("#side-text").click();
    await page.locator(".editor").waitFor();
    await picture(page, `submit-phone-text-${theme}`);
    await page.locator("#side-form").click();
    await field(page, "名称").fill("");
    await page.locator("#verdict", { hasText: "处错误" }).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide`);
    await picture(page, `submit-phone-form-${theme}`);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("it_is_accessible_in_both_themes", async () => {
  for (const theme of ["light", "dark"]) {
    const { page, context } = await writing("?template=mnist-pytorch", { theme });
    await verdict(page, "never");
    for (const summary of await page.locator("job-form summary").all()) await summary.click();
    await picture(page, `submit-${theme}`);
    assert.deepEqual(await violations(page), []);
    await context.close();
  }
});

test("reached_by_turbo_it_works_as_when_loaded", async () => {
  const { page, context, complaints } = await signedIn(browser);
  await page.goto("/jobs");
  await page.locator("main a[href='/jobs/new']").first().click();
  await page.locator(".cm-content").waitFor();
  assert.equal(await field(page, "CPUs").inputValue(), "1");
  const gutter = await page.locator(".cm-gutters").evaluate((element) => getComputedStyle(element).position);
  assert.equal(gutter, "sticky", "the editor's own styles are accepted");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("back_from_turbo_s_cache_the_text_is_there_and_the_editor_works", async () => {
  const { page, context, complaints } = await writing();
  const name = word("cache");
  await field(page, "Name").fill(name);
  await page.locator(".doors a[href='/profile']").click();
  await page.waitForURL("**/profile");
  await page.goBack();
  await page.locator(".cm-content").waitFor();
  assert.equal(await page.locator(".cm-editor").count(), 1);
  assert.equal(await field(page, "Name").inputValue(), name);
  await field(page, "CPUs").fill("1");
  await verdict(page, "now");
  assert.deepEqual(complaints, []);
  await context.close();
});
