// The real JupyterLab and TensorBoard, an app that streams and one with absolute links, opened from their job's page by a browser.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshName, openBrowser, picture, signedIn } from "./browser.mjs";
import { layCable } from "./cable.mjs";
import { desk } from "./desk.mjs";
import { openFrom } from "./endpoints.mjs";

const APPS = "/opt/sluice-test/apps/bin";
export const missing = existsSync(join(APPS, "jupyter-lab")) ? false : `JupyterLab is not installed in ${APPS}`;
const MiB = 1 << 20;
// what people wait for in earnest: SLUICE_AWAY=60 keeps the laptop closed for a minute
const AWAY_SECONDS = Number(process.env.SLUICE_AWAY ?? 6);
const fixture = (name) => readFileSync(new URL(`real/${name}`, import.meta.url)).toString("base64");

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A job with all of them, and its owner in front of its page, with a network that can be cut. */
export async function furnished(mode) {
  const browser = await openBrowser();
  const cable = mode === "ports" || mode === "inside" ? undefined : await layCable();
  const [streams, links] = [await freePort(), await freePort()];
  const jobName = freshName("lab").replaceAll("-", "_");
  const jobs = await desk();
  const boxed = mode === "containers";
  const host = boxed ? "0.0.0.0" : "127.0.0.1";
  const command = `mkdir -p ~/runs; cd /tmp; echo ${fixture("runs.py")} | base64 -d > runs.py; echo ${fixture("apps.py")} | base64 -d > apps.py; python runs.py ~/runs/${jobName} && exec python apps.py ${host} ${streams} ${links}`;
  const endpoints = [
    { recipe: "jupyterlab" },
    { recipe: "tensorboard", options: { logdir: `~/runs/${jobName}` } },
    { recipe: "port", name: "streams", port: `${streams}` },
    { recipe: "port", name: "links", port: `${links}` },
  ];
  const key = await jobs.submit({
    jobName,
    image: boxed ? "python:1" : "none",
    extras: { sluice: { environment: { PATH: `${APPS}:/usr/local/bin:/usr/bin:/bin` }, endpoints } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 1000, command }],
  });
  const { page, context } = await signedIn(browser, cable ? { baseURL: cable.origin } : {});
  await page.goto(`/jobs/${key}`);
  return {
    page,
    context,
    cable,
    mode,
    name: jobName,
    open: (name) => openFrom(context, page, name),
    async close() {
      await jobs.stop(jobName);
      await context.close();
      await browser.close();
      cable?.close();
    },
  };
}

/** Runs a cell at the end of the notebook, and waits for its output to have this. */
async function run(lab, code, wanted) {
  const cell = lab.locator(".jp-Notebook .jp-CodeCell").last();
  await cell.locator(".cm-content").click();
  await lab.keyboard.insertText(code);
  await lab.keyboard.press("Shift+Enter");
  const output = lab.locator(".jp-Notebook .jp-OutputArea-output", { hasText: wanted });
  await output.first().waitFor({ timeout: 60_000 });
}

export async function inLab(stage, megabytes) {
  const lab = await stage.open("jupyterlab");
  // what an earlier run had open in the same home is not in this one's way
  await lab.goto(new URL(`/lab/workspaces/${stage.name}`, lab.url()).href);
  await lab.locator(".jp-LauncherCard[data-category=Notebook]").first().click();
  // a cell that is run before its kernel is there is not run
  await lab.getByText("| Idle").waitFor();
  await run(lab, "kept = 41; print('ke' + 'pt', kept)", "kept 41");
  const drawing =
    'from IPython.display import SVG, display; display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><polyline points="0,40 40,5 80,30" fill="none" stroke="red"/></svg>\')); print(\'dra\' + \'wn\')';
  await run(lab, drawing, "drawn");
  const drawn = lab.locator(".jp-OutputArea-output img").first();
  assert.equal(await drawn.evaluate((image) => image.decode().then(() => image.naturalWidth)), 80);
  await picture(lab, `lab-${stage.mode}`);
  await inItsTerminal(lab, stage.name);
  await uploaded(lab, stage.name, megabytes);
  if (stage.cable) await away(stage, lab);
  await lab.close({ runBeforeUnload: false });
}

async function inItsTerminal(lab, name) {
  await lab.locator("jp-button[data-command='launcher:create']").first().click();
  await lab.locator(".jp-LauncherCard[title^='Start a new terminal']:visible").click();
  await lab.locator(".jp-Terminal .xterm-helper-textarea").waitFor({ state: "attached" });
  await lab.locator(".jp-Terminal .xterm-screen").click();
  const said = () =>
    lab.evaluate(async (path) => {
      const answer = await fetch(path);
      return answer.ok ? (await answer.json()).content : "";
    }, `/api/contents/${name}.txt?content=1`);
  // what is typed before the shell is there is lost, and what it printed is only pixels: it says so by its file
  let text = "";
  for (let i = 0; i < 60 && !text; i++) {
    await lab.keyboard.type(`echo $((6*7)) $(tty) > ~/${name}.txt\n`);
    for (let j = 0; j < 10 && !text; j++) {
      await lab.waitForTimeout(100);
      text = await said();
    }
  }
  assert.match(text, /^42 \/dev\/pts\/\d+/);
}

/** By the file browser's own button, so in the pieces that Lab makes of it. */
async function uploaded(lab, name, megabytes) {
  const folder = mkdtempSync(join(tmpdir(), "sluice-upload-"));
  const file = join(folder, `${name}.bin`);
  const hash = createHash("sha256");
  const out = createWriteStream(file);
  const block = randomBytes(MiB);
  for (let i = 0; i < megabytes; i++) {
    block.writeUInt32LE(i);
    hash.update(block);
    if (!out.write(Buffer.from(block))) await new Promise((drained) => out.once("drain", drained));
  }
  await new Promise((ended) => out.end(ended));
  const [chooser] = await Promise.all([
    lab.waitForEvent("filechooser"),
    lab.locator(".jp-id-upload jp-button").click(),
  ]);
  await chooser.setFiles(file);
  // of more than 15 MB it asks
  await lab.locator(".jp-Dialog button.jp-mod-accept").click();
  await lab.locator(".jp-DirListing-item", { hasText: `${name}.bin` }).waitFor({ timeout: 180_000 });
  await lab.locator("#jp-main-dock-panel .lm-TabBar-tab", { hasText: ".ipynb" }).first().click();
  const there = `'${name}.bin'`;
  const sum = `import hashlib, os, time
while os.path.getsize(${there}) < ${megabytes * MiB}: time.sleep(.1)
print('sum', hashlib.sha256(open(${there}, 'rb').read()).hexdigest()); os.remove(${there})`;
  await run(lab, sum, `sum ${hash.digest("hex")}`);
  // Lab reads it piece by piece until then
  rmSync(folder, { recursive: true });
}

/** The laptop is closed, and opened again somewhere else. */
async function away(stage, lab) {
  stage.cable.cut();
  await lab.waitForTimeout(AWAY_SECONDS * 1_000);
  stage.cable.mend();
  // what Lab says of it is read and put away, whenever it comes
  await lab.addLocatorHandler(lab.locator(".jp-Dialog", { hasText: "Connection Error" }), (said) =>
    said.locator("button.jp-Dialog-button").click(),
  );
  // it tries again by itself, after up to half a minute
  await lab.locator(".lm-MenuBar-item", { hasText: "Kernel" }).click();
  await lab.locator(".lm-Menu-item", { hasText: "Reconnect to Kernel" }).click();
  await lab.getByText(/\| (Idle|Unknown)/).waitFor();
  await run(lab, "print('still', kept + 1)", "still 42");
}

export async function inTensorBoard(stage) {
  const board = await stage.open("tensorboard");
  await board.locator("mat-toolbar, .mat-toolbar, app-header").first().waitFor();
  const data = (path) => board.evaluate((asked) => fetch(asked).then((answer) => answer.json()), path);
  assert.deepEqual(Object.keys(await data("data/plugin/scalars/tags")), ["."]);
  await board.goto(new URL("/#timeseries", board.url()).href);
  await board.locator("scalar-card, card-view", { hasText: "loss" }).first().waitFor();
  await board.locator("image-card img, card-view img").first().waitFor();
  assert.equal(
    await board
      .locator("image-card img, card-view img")
      .first()
      .evaluate((drawn) => drawn.decode().then(() => drawn.naturalWidth)),
    16,
  );
  await picture(board, `tensorboard-${stage.mode}`);
  await board.goto(new URL("/#projector", board.url()).href);
  await board.reload();
  await board.frameLocator("iframe").frameLocator("iframe").locator(".numDataPoints", { hasText: /^30$/ }).waitFor();
  await picture(board, `projector-${stage.mode}`);
  await board.close();
}

export async function inApps(stage) {
  const streams = await stage.open("streams");
  await streams.locator("#events", { hasText: "e0 e1 e2" }).waitFor();
  await streams.locator("#pieces", { hasText: "p0 p1 p2 p3 p4 |streamed" }).waitFor();
  await streams.locator("#socket", { hasText: "w0 w1 w2" }).waitFor();
  await streams.close();
  const links = await stage.open("links");
  const origin = new URL(links.url()).origin;
  await links.waitForLoadState();
  assert.equal(await links.locator("h1").evaluate((title) => getComputedStyle(title).color), "rgb(1, 2, 3)");
  assert.equal(await links.locator("#p").evaluate((drawn) => drawn.decode().then(() => drawn.naturalWidth)), 7);
  await links.getByText("on").click();
  await links.locator("h1", { hasText: "second" }).waitFor();
  assert.equal(links.url(), `${origin}/deep/second?x=1#y`);
  await links.getByText("home").click();
  await links.locator("h1", { hasText: "first" }).waitFor();
  assert.equal(links.url(), `${origin}/`);
  await links.getByText("send").click();
  await links.locator("h1", { hasText: "a=b" }).waitFor();
  await links.close();
}
