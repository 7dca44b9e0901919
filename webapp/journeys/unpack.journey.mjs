import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { newcomer, openBrowser, PHONE, picture } from "./browser.mjs";

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "sluice-unpack-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (page, name) => page.locator(".file-row").filter({ has: page.locator(`.name[title="${name}"]`) });
const says = (page) => page.locator(".finder [role=status]");

/** A tar of small files, packed with gzip. */
function archive(name, files) {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(512);
    const body = Buffer.from(content);
    header.write(path, 0);
    header.write("0000644\0", 100);
    header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0        0", 136);
    const sum = header.reduce((all, one) => all + one, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  const path = join(folder, name);
  writeFileSync(path, gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)])));
  return path;
}

async function upload(page, files) {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator(".sheet header .button.primary").click(),
  ]);
  await chooser.setFiles(files);
}

/** The question where to, with the archive chosen. */
async function asked(page, name) {
  await row(page, name).locator("input").check();
  await page.locator(".picked .buttons .buttons + button").click();
  await page.locator(".file-ask").waitFor();
  return page.locator(".file-ask");
}

test("an_archive_is_unpacked_into_a_new_folder_or_among_what_is_there", async () => {
  const { page, context, complaints } = await newcomer(browser, {});
  await page.goto("/files");
  await upload(page, [
    archive("runs.tar.gz", { "notes.md": "from the archive", "一/二.txt": "2" }),
    archive("evil.tgz", { "good.txt": "1", "../../evil": "2" }),
  ]);
  await row(page, "evil.tgz").waitFor();
  const fresh = await asked(page, "runs.tar.gz");
  assert.equal(await fresh.locator("input.input").inputValue(), "runs");
  await picture(page, "unpack-ask");
  await fresh.locator("button[value=yes]").click();
  await row(page, "runs").locator("a").click();
  await row(page, "notes.md").waitFor();
  await row(page, "一").locator("a").click();
  await row(page, "二.txt").waitFor();

  await page.goto("/files");
  const taken = await asked(page, "runs.tar.gz");
  await taken.locator("button[value=yes]").click();
  await says(page).filter({ hasText: "taken" }).waitFor();
  await page.goto("/files");
  const here = await asked(page, "runs.tar.gz");
  await here.locator("input[type=radio]").nth(1).check();
  await here.locator("select").selectOption("replace");
  await here.locator("button[value=yes]").click();
  await row(page, "notes.md").waitFor();

  const evil = await asked(page, "evil.tgz");
  await evil.locator("button[value=yes]").click();
  await says(page).filter({ hasText: "leads out of the folder" }).waitFor();
  assert.match(await says(page).innerText(), /Nothing was unpacked.*\(\.\.\/\.\.\/evil\)/);
  assert.equal(await row(page, "evil").count(), 0);
  await picture(page, "unpack-evil");
  // what is refused on purpose is told by the browser too
  assert.deepEqual(
    complaints.filter((one) => !/409|422/.test(one)),
    [],
  );
  await context.close();
});

test("the_question_where_to_in_chinese_and_in_the_dark_and_on_a_phone", async () => {
  for (const [name, look] of Object.entries({
    "unpack-dark-zh": { theme: "dark", language: "zh" },
    "unpack-phone": { viewport: PHONE },
  })) {
    const { page, context } = await newcomer(browser, look);
    await page.goto("/files");
    await upload(page, [archive("dataset.tgz", { a: "1" }), archive("evil.tgz", { "/etc/evil": "2" })]);
    await row(page, "evil.tgz").waitFor();
    await asked(page, "dataset.tgz");
    await picture(page, name);
    await page.keyboard.press("Escape");
    await row(page, "dataset.tgz").locator("input").uncheck();
    const evil = await asked(page, "evil.tgz");
    await evil.locator("button[value=yes]").click();
    await page.locator(".finder .bad").waitFor();
    await picture(page, `${name}-evil`);
    await context.close();
  }
});
