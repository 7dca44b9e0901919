import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { newcomer, openBrowser, picture } from "./browser.mjs";
import { layCable } from "./cable.mjs";

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "sluice-uploads-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

// a browser hands out the entries of a folder a hundred at once
const MANY = 104;
const row = (page, name) => page.locator(".file-row").filter({ has: page.locator(`.name[title="${name}"]`) });
const home = (page) => page.locator("file-centre").getAttribute("data-space");
const at = (path) => encodeURIComponent(path).replaceAll("%2F", "/");

async function answer(page, rest, path) {
  const answered = await page.context().request.get(`/api/v2/files/${await home(page)}${rest}?path=${at(path)}`);
  assert.equal(answered.status(), 200, path);
  return answered;
}

const inside = async (page, path) => (await answer(page, "", path)).json();
const content = async (page, path) => (await answer(page, "/content", path)).body();

/** As a file manager drags: the browser itself reads what is at these paths. */
async function drag(page, paths) {
  const devtools = await page.context().newCDPSession(page);
  const box = await page.locator(".sheet[data-drop]").boundingBox();
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const send = (type) =>
    devtools.send("Input.dispatchDragEvent", { type, x: box.x + box.width / 2, y: box.y + box.height / 2, data });
  await send("dragEnter");
  // the sheet that says what a drop does comes between, as it does under a hand that moves on
  await send("dragOver");
  await send("dragOver");
  return () => send("drop");
}

/** A tree on this machine, and what is beside it. */
function tree(name, many) {
  const top = join(folder, name);
  for (const one of ["many", "empty", "deep/一/none"]) mkdirSync(join(top, one), { recursive: true });
  for (let n = 0; n < many; n++) writeFileSync(join(top, "many", `part ${n}`), n % 10 === 0 ? `content ${n}` : "");
  writeFileSync(join(top, "deep", "100% #1?.txt"), "odd");
  const beside = join(folder, "beside.txt");
  writeFileSync(beside, "beside");
  return [top, beside];
}

test("a_folder_that_is_dropped_comes_whole_with_what_is_empty_in_it", async () => {
  const { page, context, complaints } = await newcomer(browser, {});
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  const drop = await drag(page, tree("tree", MANY));
  await page.locator(".sheet.over").waitFor();
  await picture(page, "files-drop");
  const made = ["tree/empty", "tree/deep/一/none"].map((path) =>
    page.waitForResponse((response) => response.url().endsWith(`/folder?path=${at(path)}`)),
  );
  await drop();
  await page.locator(".sheet:not(.over)[data-drop]").waitFor();
  await row(page, "beside.txt").waitFor();
  await page.locator(".file-uploads [role=status]", { hasText: `${MANY + 2} of ${MANY + 2}` }).waitFor();
  await Promise.all(made);
  assert.deepEqual(await namesIn(page, "tree"), ["deep", "empty", "many"]);
  assert.deepEqual(await namesIn(page, "tree/empty"), []);
  assert.deepEqual(await namesIn(page, "tree/deep"), ["100% #1?.txt", "一"]);
  assert.deepEqual(await namesIn(page, "tree/deep/一"), ["none"]);
  assert.equal((await inside(page, "tree/many")).total, MANY);
  assert.equal(String(await content(page, "tree/many/part 100")), "content 100");
  assert.equal(String(await content(page, "tree/many/part 103")), "");
  assert.equal(String(await content(page, "tree/deep/100% #1?.txt")), "odd");
  assert.deepEqual(
    // a folder that two make at once is there already for one of them
    complaints.filter((one) => !one.includes("409")),
    [],
  );
  await context.close();
});

async function namesIn(page, path) {
  const { entries } = await inside(page, path);
  return entries.map((entry) => entry.name).sort();
}

test("what_the_browser_can_not_read_is_named_and_what_has_no_place_on_the_machine_comes_too", async () => {
  const { page, context } = await newcomer(browser, {});
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  await page.evaluate(() => {
    const { webkitGetAsEntry } = DataTransferItem.prototype;
    DataTransferItem.prototype.webkitGetAsEntry = function () {
      const entry = webkitGetAsEntry.call(this);
      if (!entry?.isFile) return entry;
      const kind = Object.getPrototypeOf(entry);
      const { file } = kind;
      kind.file = function (yes, no) {
        if (this.name === "part 7") no(new DOMException("no right to read", "NotReadableError"));
        else file.call(this, yes, no);
      };
      return entry;
    };
  });
  await (await drag(page, tree("locked", 8)))();
  await page.locator(".file-ask", { hasText: "locked/many/part 7" }).waitFor();
  await picture(page, "files-unread");
  await page.keyboard.press("Escape");
  await page.locator(".file-uploads [role=status]", { hasText: "9 of 9" }).waitFor();
  assert.equal((await inside(page, "locked/many")).total, 7);

  await page.locator(".sheet[data-drop]").evaluate((sheet) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["from a letter"], "letter.txt"));
    sheet.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await row(page, "letter.txt").waitFor();
  assert.equal(String(await content(page, "letter.txt")), "from a letter");
  await context.close();
});

test("what_is_dropped_where_nothing_may_be_written_leads_nowhere", async () => {
  const { page, context } = await newcomer(browser, {});
  await page.goto("/files?in=@gdata");
  await page.locator("file-centre .crumbs [aria-current=page]").waitFor();
  const beside = join(folder, "nowhere.html");
  writeFileSync(beside, "<title>nowhere</title>");
  const pages = context.pages().length;
  await (await drag(page, [beside]))();
  assert.equal(await page.locator(".sheet.over").count(), 0);
  await page.locator(".places a[href='/files']").click();
  await page.locator("file-centre .empty").waitFor();
  assert.equal(context.pages().length, pages);
  assert.equal(await page.locator(".file-uploads li").count(), 0);
  await context.close();
});

test("an_upload_goes_on_by_itself_where_it_was_when_the_line_is_back", async () => {
  const cable = await layCable();
  const { page, context } = await newcomer(browser, { baseURL: cable.origin });
  const bytes = randomBytes(24 << 20);
  const large = join(folder, "checkpoint.bin");
  writeFileSync(large, bytes);
  const asked = [];
  page.on("response", async (response) => {
    if (!response.url().includes("/api/v2/uploads")) return;
    asked.push({ method: response.request().method(), offset: Number(response.headers()["upload-offset"]) });
  });
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 8 << 20 };
  await devtools.send("Network.emulateNetworkConditions", slow);
  await (await drag(page, [large]))();
  await page.waitForFunction(() => document.querySelector(".file-uploads progress")?.value > 4 << 20);
  const unheard = page.waitForEvent("requestfailed", (request) => request.method() === "HEAD");
  cable.cut();
  await unheard;
  assert.equal(await page.locator(".file-uploads li").getAttribute("data-state"), "sending");
  cable.mend();
  await page.locator(".file-uploads li[data-state=done]").waitFor();
  const went = asked.map(({ method }) => method).join(" ");
  assert.match(went, /^POST (HEAD )+PATCH$/, "it went on, and did not begin anew");
  const { offset } = asked.find(({ method, offset }) => method === "HEAD" && offset > 0);
  assert.ok(offset > 2 << 20 && offset < bytes.length, `from ${offset}`);
  const digest = (all) => createHash("sha256").update(all).digest("hex");
  assert.equal(digest(await content(page, "checkpoint.bin")), digest(bytes));
  await context.close();
  cable.close();
});
