// JupyterLab as people use it: cells, a plot, its terminal, an upload, and a laptop that is closed meanwhile.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { picture } from "./browser.mjs";

const MiB = 1 << 20;

/** Runs a cell at the end of the notebook, and waits for its output to have this. */
async function run(lab, code, wanted) {
  const cell = lab.locator(".jp-Notebook .jp-CodeCell").last();
  await cell.locator(".cm-content").click();
  await lab.keyboard.insertText(code);
  await lab.keyboard.press("Shift+Enter");
  const output = lab.locator(".jp-Notebook .jp-OutputArea-output", { hasText: wanted });
  await output.first().waitFor({ timeout: 60_000 });
}

/** A new one, with a variable in its kernel. */
export async function notebook(lab, workspace) {
  // what an earlier run had open in the same home is not in this one's way
  await lab.goto(new URL(`/lab/workspaces/${workspace}`, lab.url()).href);
  await lab.locator(".jp-LauncherCard[data-category=Notebook]").first().click();
  // a cell that is run before its kernel is there is not run
  await lab.getByText("| Idle").waitFor();
  await run(lab, "kept = 41; print('ke' + 'pt', kept)", "kept 41");
}

/** A notebook with drawings of two kinds, a terminal and a file that was brought. */
export async function openedLab(stage, megabytes) {
  const lab = await stage.open("jupyterlab");
  await notebook(lab, stage.name);
  await draws(stage, lab);
  await inItsTerminal(lab, stage.name);
  await uploaded(lab, stage.name, megabytes);
  return lab;
}

async function draws(stage, lab) {
  const drawing =
    'from IPython.display import SVG, display; display(SVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><polyline points="0,40 40,5 80,30" fill="none" stroke="red"/></svg>\')); print(\'dra\' + \'wn\')';
  await run(lab, drawing, "drawn");
  const width = (image) => image.evaluate((one) => one.decode().then(() => one.naturalWidth));
  assert.equal(await width(lab.locator(".jp-OutputArea-output img").first()), 80);
  if (stage.plots) {
    await run(
      lab,
      "import matplotlib.pyplot as plt; plt.plot([3, 1, 2]); plt.show(); print('plot' + 'ted')",
      "plotted",
    );
    assert.ok((await width(lab.locator(".jp-OutputArea-output img[src^='data:image/png']").last())) > 200);
  }
  await picture(lab, `lab-${stage.title}`);
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

/** The laptop was away, and is opened again somewhere else. */
export async function goesOn(lab) {
  // what Lab says of it is read and put away, whenever it comes: it could not be asked, or not save
  await lab.addLocatorHandler(lab.locator(".jp-Dialog", { hasText: /Connection Error|File Save Error/ }), (said) =>
    said.locator("button.jp-Dialog-button").last().click(),
  );
  // it tries again by itself, after up to half a minute
  await lab.locator(".lm-MenuBar-item", { hasText: "Kernel" }).click();
  await lab.locator(".lm-Menu-item", { hasText: "Reconnect to Kernel" }).click();
  await lab.getByText(/\| (Idle|Unknown)/).waitFor();
  await run(lab, "print('still', kept + 1)", "still 42");
  await lab.close({ runBeforeUnload: false });
}
