// What somebody proposes is accepted, found, and stands in a job; and ModelArts' form runs a script.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { freshName, newcomer, openBrowser, opener, picture, signedIn, signIn, visitor } from "./browser.mjs";
import { desk } from "./desk.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

const send = (page, label) => page.getByRole("button", { name: label, exact: true }).click();
const textOf = (page) => page.locator("#text").evaluate((area) => area.value);
const wrote = (page, words) =>
  page.waitForFunction((wanted) => document.querySelector("#text").value.includes(wanted), words);

test("what_a_guest_proposes_is_declined_changed_accepted_and_used_in_one_click", async () => {
  const { page, context, complaints } = await newcomer(browser);
  const boss = await signedIn(browser);
  const name = freshName("birds");
  await page.goto("/datasets/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Where it lies").fill("/etc/birds");
  await send(page, "Propose");
  await page.getByText("Write a folder that is shared").waitFor();
  await page.getByLabel("Where it lies").fill("/gdata/birds");
  await send(page, "Propose");
  await page.getByText(`${name} is proposed.`).waitFor();
  const { pathname } = new URL(page.url());

  await boss.page.goto("/datasets?show=proposed");
  await boss.page.getByRole("link", { name, exact: true }).click();
  await boss.page.locator(opener("decline")).click();
  await boss.page.getByLabel("Why").fill("Say what is in it.");
  await boss.page.locator("#decline button[type=submit]").click();
  await boss.page.getByText(`${name} is declined`).waitFor();

  await page.goto(pathname);
  await page.getByText("Say what is in it.").waitFor();
  await picture(page, "dataset-declined");
  assert.deepEqual(await violations(page), []);
  await page.getByRole("link", { name: "Change", exact: true }).click();
  await page.getByLabel("What it is").fill("Two hundred kinds of birds");
  await send(page, "Propose");
  await page.getByText(`${name} is proposed.`).waitFor();

  await boss.page.goto(pathname);
  await send(boss.page, "Accept");
  await boss.page.getByText(`${name} is in the catalogue now.`).waitFor();

  await page.goto("/datasets");
  await page.getByPlaceholder("Find a dataset").fill("two hundred kinds");
  await page.locator("#catalogue tbody tr").filter({ hasText: name }).locator("a.button").click();
  await page.locator(".cm-content").waitFor();
  assert.match(await textOf(page), /du -sh '\/gdata\/birds'/);
  // what was refused at first is an answer of 422
  assert.deepEqual(
    complaints.filter((said) => !said.includes("422")),
    [],
  );
  await context.close();
  await boss.context.close();
});

async function add(page, catalogue, entry) {
  const body = { data: entry, headers: { Origin: new URL(page.url()).origin } };
  const added = await page.request.post(`/api/v2/${catalogue}`, body);
  assert.equal(added.status(), 201, await added.text());
}

test("the_form_takes_an_image_for_its_devices_and_a_dataset_from_the_catalogue", async () => {
  const { page, context, complaints } = await signedIn(browser);
  const [npu, gpu, data] = [freshName("npu"), freshName("gpu"), freshName("data")];
  const image = { repository: "registry.example.org/lab/one", tags: ["2.3", "2.2"] };
  await add(page, "images", { ...image, name: npu, device: "ascend" });
  await add(page, "images", { ...image, name: gpu, device: "nvidia" });
  await add(page, "datasets", { name: data, path: "s3://lab/speech/", bytes: 1 });
  await page.goto("/jobs/new?template=hello");
  await page.locator(".cm-content").waitFor();
  await page.locator("job-form").getByLabel("Device type", { exact: true }).fill("huawei_npu_arm64");
  await wrote(page, "huawei_npu_arm64");
  await page.locator(`section.role ${opener("pick-image")}`).click();
  const images = page.locator("#pick-image");
  await images.getByPlaceholder("Find an image").fill("-");
  await images.getByText(npu).waitFor();
  await images.getByText(gpu).waitFor({ state: "hidden" });
  await images.getByText("Also those for other devices").click();
  await images.getByText(gpu).waitFor();
  await picture(page, "pick-image");
  assert.deepEqual(await violations(page), []);
  await images.locator("li").filter({ hasText: npu }).getByText("2.2", { exact: true }).click();
  await images.waitFor({ state: "hidden" });
  await wrote(page, "registry.example.org/lab/one:2.2");
  await page.locator(opener("pick-dataset")).click();
  const datasets = page.locator("#pick-dataset");
  await datasets.getByPlaceholder("Find a dataset").fill(data);
  await datasets.locator("li").filter({ hasText: data }).locator("button").click();
  await wrote(page, "s3://lab/speech/");
  const input = data.replaceAll("-", "_");
  assert.match(await textOf(page), new RegExp(`name: ${input}\\s+from: "?s3://lab/speech/`));
  const row = page.locator("fieldset[data-kind=inputs] li input");
  assert.deepEqual(await Promise.all([row.nth(0).inputValue(), row.nth(1).inputValue()]), [input, "s3://lab/speech/"]);
  await row.nth(1).fill("/gdata");
  await wrote(page, "/gdata");
  assert.doesNotMatch(await textOf(page), /s3:/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the_form_of_modelarts_writes_a_job_that_is_looked_at_and_runs", async () => {
  const { page, context, complaints, person } = await newcomer(browser);
  const script = "import sys\nprint('told', sys.argv[1:])\n";
  const { token, until } = await desk(person);
  const kept = await fetch(`${new URL(page.url()).origin}/api/v2/files/${person.name}/content?path=train.py`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${token}` },
    body: script,
  });
  assert.ok(kept.ok, await kept.text());
  await page.goto("/jobs/new");
  await page.getByRole("link", { name: "ModelArts form" }).click();
  await page.getByLabel("Another image").fill("lab/engine:1");
  await page.getByLabel("Code folder").fill("/userhome");
  await page.getByLabel("Boot file").fill("train.py");
  await page.getByLabel("data_url").fill("/gdata");
  await page.getByLabel("train_url").fill("/userhome/out");
  const rows = page.locator(".parameters li");
  assert.equal(await rows.count(), 4);
  await send(page, "More parameters");
  assert.equal(await rows.count(), 5);
  await rows.nth(4).getByLabel("Name of a parameter").fill("title");
  await rows.nth(4).getByLabel("Its value").fill(`it's "$(id)"`);
  await page.locator("input[name=flavor]").last().waitFor();
  await page.locator("input[name=flavor][value='cpu*1']").check();
  await picture(page, "jobs-train-filled", { whole: true });
  await send(page, "Write the job");
  await page.locator(".cm-content").waitFor();
  await page.getByText("This is the job that your form describes.").waitFor();
  await wrote(page, "--train_url=");
  await picture(page, "jobs-train-written");
  await page.locator("button.send").click();
  await page.waitForURL(`**/jobs/${person.name}~train`);
  await until("train", "SUCCEEDED");
  const log = await fetch(
    `${new URL(page.url()).origin}/api/v2/jobs/${person.name}~train/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log`,
    { headers: { Authorization: `Bearer ${token}` } },
  );
  assert.ok(
    (await log.text()).includes(`told ['--data_url=/gdata', '--train_url=/userhome/out', '--title=it\\'s "$(id)"']`),
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

test("without_a_script_the_form_asks_for_more_rows_and_keeps_what_was_typed", async () => {
  const { page, context } = await visitor(browser, { javaScriptEnabled: false });
  await signIn(page);
  await page.goto("/jobs/train");
  await page.getByLabel("Boot file").fill("train.py");
  await send(page, "More parameters");
  assert.equal(await page.locator(".parameters li").count(), 8);
  assert.equal(await page.getByLabel("Boot file").inputValue(), "train.py");
  await page.getByLabel("Another image").fill("lab/engine:1");
  await page.getByLabel("Code folder").fill("/userhome");
  await send(page, "Write the job");
  assert.match(await page.locator("#text").inputValue(), /python3 -u train\.py/);
  await context.close();
});
