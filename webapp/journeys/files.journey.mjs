import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { newcomer, openBrowser, PHONE, picture } from "./browser.mjs";

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), "sluice-files-"));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const row = (page, name) => page.locator(".file-row", { hasText: name });
const answered = (dialog) => dialog.locator("button[value=yes]").click();

async function upload(page, files) {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.locator(".sheet header .button.primary").click(),
  ]);
  await chooser.setFiles(files);
}

test("files_go_up_are_looked_at_changed_and_come_back_from_the_bin", async () => {
  const { page, context, complaints } = await newcomer(browser, {});
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  const text = join(folder, "notes.md");
  const table = join(folder, "table.csv");
  writeFileSync(text, "# Notes\n一行中文\n");
  writeFileSync(table, 'epoch,loss\n1,"0,5"\n2,0.25\n');
  await upload(page, [text, table]);
  await row(page, "table.csv").waitFor();
  await page.locator(".file-uploads li[data-state=done]").nth(1).waitFor();

  await row(page, "table.csv").locator("a").click();
  assert.equal(await page.locator(".file-view td").nth(1).innerText(), "0,5");
  await page.keyboard.press("Escape");

  await row(page, "notes.md").locator("a").click();
  await page.locator(".file-view pre", { hasText: "一行中文" }).waitFor();
  await page.locator(".file-view .buttons button").click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("changed here");
  await page.keyboard.press("Control+s");
  await page.locator(".file-view [role=status]", { hasText: "Saved" }).waitFor();
  const writer = await context.request.put(`/api/v2/files/${await space(page)}/content?path=notes.md`, {
    data: "a job was here\n",
    headers: { Origin: new URL(page.url()).origin },
  });
  assert.equal(writer.status(), 200);
  await page.keyboard.type("!");
  await page.keyboard.press("Control+s");
  await page.locator(".file-view .notice.bad").waitFor();
  await page.locator(".file-view .notice.bad button").first().click();
  await page.locator(".cm-content", { hasText: "a job was here" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".file-view").waitFor({ state: "detached" });

  await page.locator(".sheet header button", { hasText: "New folder" }).click();
  await page.locator(".file-ask input").fill("runs 1");
  await answered(page.locator(".file-ask"));
  await row(page, "runs 1").waitFor();
  await row(page, "notes.md").locator("input").check();
  await page.locator(".picked button", { hasText: "Move" }).click();
  await page.locator(".file-ask input").fill("runs 1");
  await answered(page.locator(".file-ask"));
  await row(page, "notes.md").waitFor({ state: "detached" });
  await row(page, "runs 1").locator("a").click();
  await row(page, "notes.md").locator("input").check();
  await page.locator(".picked button", { hasText: "Delete" }).click();
  await answered(page.locator(".file-ask"));
  await page.locator("file-centre .empty").waitFor();

  await page.goto("/files?bin=1");
  await page.locator("file-centre li button", { hasText: "Restore" }).click();
  await page.locator("file-centre .empty").waitFor();
  await page.goto("/files?path=runs%201");
  await row(page, "notes.md").waitFor();
  // what the editor is refused on purpose is told by the browser too
  assert.deepEqual(
    complaints.filter((one) => !one.includes("412")),
    [],
  );
  await context.close();
});

const HOSTILE =
  '<img src="/never" onerror="window.ran = 1"><script>window.ran = 1</script><iframe src="/never"></iframe>';
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = 1"><script>window.ran = 1</script></svg>`;

/** What somebody hostile saves as a notebook; the picture in it is one. */
function notebook(png) {
  const output = (data) => ({ output_type: "display_data", data });
  return JSON.stringify({
    nbformat: 4,
    cells: [
      { cell_type: "markdown", source: ["# Hello ", HOSTILE] },
      {
        cell_type: "code",
        source: "print(1)",
        outputs: [
          { output_type: "stream", text: ["one ", HOSTILE] },
          output({ "image/png": png.toString("base64"), "text/html": HOSTILE }),
          output({ "text/html": HOSTILE, "application/javascript": "window.ran = 1" }),
          output({ "image/svg+xml": DRAWING }),
          output({ "image/png": 'x" onerror="window.ran = 1', "text/plain": "instead" }),
          { output_type: "error", traceback: ["\u001b[31mValueError\u001b[0m"] },
        ],
      },
    ],
  });
}

test("pictures_and_notebooks_are_looked_at_and_nothing_of_them_runs", async () => {
  const { page, context, complaints } = await newcomer(browser, {});
  const never = [];
  context.on("request", (request) => request.url().includes("/never") && never.push(request.url()));
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  const png = await page.screenshot({ clip: { x: 0, y: 0, width: 40, height: 30 } });
  const all = {
    "seen.png": png,
    "hostile.png": HOSTILE,
    "hostile.svg": DRAWING,
    "hostile.html": HOSTILE,
    "runs.ipynb": notebook(png),
    "broken.ipynb": notebook(png).slice(0, 200),
    "odd.ipynb": '{"cells":[null]}',
    "old.ipynb": '{"worksheets":[]}',
  };
  const content = `/api/v2/files/${await space(page)}/content`;
  for (const [name, data] of Object.entries(all)) {
    const headers = { Origin: new URL(page.url()).origin };
    const written = await context.request.put(`${content}?path=${name}`, { data: Buffer.from(data), headers });
    assert.equal(written.status(), 200, name);
  }
  await page.reload();
  const view = page.locator(".file-view .place");
  const open = async (name) => {
    await page.keyboard.press("Escape");
    await page.locator(".file-view").waitFor({ state: "detached" });
    await row(page, name).locator("a").click();
  };
  const size = (picture) => picture.evaluate(async (one) => [await one.decode(), one.naturalWidth].at(-1));

  await open("seen.png");
  await view.locator("img").waitFor();
  assert.equal(await size(view.locator("img")), 40);
  await open("hostile.png");
  await view.locator(".empty", { hasText: "can not be shown as a picture" }).waitFor();
  await open("runs.ipynb");
  await view.locator(".notebook").waitFor();
  await picture(page, "files-ipynb");
  assert.equal(await view.locator("p.markdown").innerText(), `# Hello ${HOSTILE}`);
  assert.deepEqual(await view.locator("pre.output").allInnerTexts(), [`one ${HOSTILE}`, "instead", "ValueError"]);
  assert.equal(await view.locator("p.faint", { hasText: "Output left out" }).count(), 2);
  assert.equal(await size(view.locator("img")), 40);
  assert.equal(await view.locator("iframe, script, svg, [onerror]").count(), 0);
  for (const name of ["broken.ipynb", "odd.ipynb", "old.ipynb", "hostile.svg", "hostile.html"]) {
    await open(name);
    await view.locator("pre").waitFor();
    assert.equal(await view.locator("pre").textContent(), String(all[name]));
  }
  assert.equal(await page.evaluate(() => window.ran), undefined);

  const alone = await context.newPage();
  const shown = await alone.goto(`${content}?path=hostile.png&as=picture`);
  assert.equal(shown.headers()["x-content-type-options"], "nosniff");
  assert.match(shown.headers()["content-security-policy"], /^sandbox;/);
  assert.equal(await alone.evaluate(() => window.ran), undefined);
  for (const name of ["hostile.html", "hostile.svg"]) {
    const [load] = await Promise.all([
      alone.waitForEvent("download"),
      alone.goto(`${content}?path=${name}`).catch(() => undefined), // what is loaded down is no page
    ]);
    await load.cancel();
  }
  assert.deepEqual(never, []);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_folder_opens_in_a_notebook_by_way_of_a_job", async () => {
  const { page, context } = await newcomer(browser, {});
  await page.goto("/files");
  await page.locator(".sheet header button", { hasText: "New folder" }).click();
  await page.locator(".file-ask input").fill("my runs");
  await answered(page.locator(".file-ask"));
  await row(page, "my runs").locator("input").check();
  await page.locator(".picked a", { hasText: "notebook" }).click();
  await page.waitForURL("**/jobs/new?notebook=*");
  await page.locator("main", { hasText: "JupyterLab shows /userhome/my runs" }).waitFor();
  await page.locator(".cm-content", { hasText: 'folder: "/userhome/my runs"' }).waitFor();
  await picture(page, "files-notebook");
  await context.close();
});

test("back_leads_through_folders_and_other_pages_as_they_were_gone", async () => {
  const { page, context } = await newcomer(browser, {});
  await page.goto("/files");
  await page.locator(".sheet header button", { hasText: "New folder" }).click();
  await page.locator(".file-ask input").fill("deep");
  await answered(page.locator(".file-ask"));
  await row(page, "deep").locator("a").click();
  await page.locator("file-centre .empty").waitFor();
  await page.locator("a[href='/jobs']").first().click();
  await page.waitForURL("**/jobs");
  await page.goBack();
  await page.waitForURL("**/files?path=deep");
  await page.locator("file-centre .crumbs [aria-current=page]", { hasText: "deep" }).waitFor();
  await page.goBack();
  await row(page, "deep").waitFor();
  await page.locator(".places a[href='/files?in=@gdata']").click();
  await page.locator("file-centre[data-space='@gdata']").waitFor();
  await page.goBack();
  await row(page, "deep").waitFor();
  assert.notEqual(await space(page), "@gdata");
  await context.close();
});

test("an_editor_writes_over_nothing_that_it_has_not_shown", async () => {
  const { page, context } = await newcomer(browser, {});
  await page.goto("/files");
  const home = await space(page);
  const write = (name, data) =>
    context.request.put(`/api/v2/files/${home}/content?path=${name}`, {
      data,
      headers: { Origin: new URL(page.url()).origin },
    });
  await write("empty.txt", "");
  await write("grows.log", "short\n");
  await page.reload();
  await row(page, "empty.txt").locator("a").click();
  await page.locator(".file-view .buttons button").click();
  await page.locator(".cm-content").click();
  await write("empty.txt", "a job was here\n");
  await page.keyboard.type("mine");
  await page.keyboard.press("Control+s");
  await page.locator(".file-view .notice.bad").waitFor();
  await page.locator(".file-view header button", { hasText: "Close" }).click();
  await answered(page.locator(".file-ask"));
  await page.locator(".file-view").waitFor({ state: "detached" });

  await row(page, "grows.log").locator("a").click();
  await page.locator(".file-view pre").waitFor();
  await grow(context, home, page, "grows.log");
  await page.locator(".file-view .buttons button").click();
  await page.locator(".file-view [role=status]", { hasText: "Too large" }).waitFor();
  assert.equal(await page.locator(".cm-content").count(), 0);
  await context.close();
});

/** More than an editor takes, as a job writes it. */
async function grow(context, home, page, name) {
  const headers = { Origin: new URL(page.url()).origin, "Tus-Resumable": "1.0.0" };
  const size = 5 << 20;
  const metadata = `path ${Buffer.from(name).toString("base64")},replace ${Buffer.from("true").toString("base64")}`;
  const begun = await context.request.post("/api/v2/uploads", {
    headers: { ...headers, "Upload-Length": String(size), "Upload-Metadata": metadata },
  });
  assert.equal(begun.status(), 201, home);
  const sent = await context.request.patch(begun.headers().location, {
    headers: { ...headers, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
    data: Buffer.alloc(size, "line\n"),
  });
  assert.equal(sent.status(), 204);
}

const space = (page) => page.locator("file-centre").getAttribute("data-space");

test("an_upload_goes_on_after_a_pause_and_after_a_closed_page", async () => {
  const { page, context } = await newcomer(browser, {});
  const large = join(folder, "large.bin");
  writeFileSync(large, Buffer.alloc(40 << 20, "sluice"));
  const devtools = await context.newCDPSession(page);
  await page.goto("/files");
  await page.locator("file-centre .empty").waitFor();
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 4 << 20,
  });
  await upload(page, [large]);
  await page.locator(".file-uploads li[data-state=sending]").waitFor();
  await page.waitForFunction(() => document.querySelector(".file-uploads progress")?.value > 1 << 20);
  await page.locator(".file-uploads li button", { hasText: "Pause" }).click();
  await page.locator(".file-uploads li[data-state=paused]").waitFor();
  await page.close({ runBeforeUnload: false });

  const again = await context.newPage();
  const begun = [];
  again.on("request", (request) => {
    if (request.url().includes("/api/v2/uploads")) begun.push(request.method());
  });
  await again.goto("/files");
  await upload(again, [large]);
  await again.locator(".file-uploads li[data-state=done]").waitFor();
  assert.ok(!begun.includes("POST"), `it went on, and did not begin anew: ${begun}`);
  await row(again, "large.bin").waitFor();
  await context.close();
});

test("the_file_centre_in_both_languages_both_themes_and_on_a_phone", async () => {
  const inside = join(folder, "some");
  mkdirSync(inside, { recursive: true });
  for (const name of [
    "模型权重.pt",
    "train.py",
    "metrics.csv",
    "a-rather-long-name-of-a-checkpoint-that-goes-on-and-on.ckpt",
  ])
    writeFileSync(join(inside, name), name.repeat(999));
  for (const [name, look] of Object.entries({
    "files-light": {},
    "files-dark-zh": { theme: "dark", language: "zh" },
    "files-phone": { viewport: PHONE },
  })) {
    const { page, context } = await newcomer(browser, look);
    await page.goto("/files");
    await upload(
      page,
      ["模型权重.pt", "train.py", "metrics.csv"].map((one) => join(inside, one)),
    );
    await page
      .locator(".file-uploads li[data-state=done]")
      .nth(2)
      .waitFor()
      .catch(async (late) => {
        throw new Error(`${late.message}: ${await page.locator("file-centre").innerText()}`);
      });
    await row(page, "train.py").locator("input").check();
    await picture(page, name);
    await row(page, "metrics.csv").locator("a").click();
    await page.locator(".file-view table").waitFor();
    await picture(page, `${name}-view`);
    await context.close();
  }
});
