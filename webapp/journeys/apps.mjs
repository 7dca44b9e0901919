// TensorBoard, Streamlit, an app that streams and one with absolute links, as people use them.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { picture } from "./browser.mjs";

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
  await picture(board, `tensorboard-${stage.title}`);
  await board.goto(new URL("/#projector", board.url()).href);
  await board.reload();
  await board.frameLocator("iframe").frameLocator("iframe").locator(".numDataPoints", { hasText: /^30$/ }).waitFor();
  await picture(board, `projector-${stage.title}`);
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

/** What is written comes piece by piece, what is changed is answered, and what is brought is read as it was. */
export async function inStreamlit(stage) {
  const app = await stage.open("streamlit");
  const seen = new Set();
  const failed = [];
  app.on("requestfailed", (request) => failed.push({ url: request.url(), error: request.failure()?.errorText }));
  await app.exposeFunction("seen", (words) => seen.add(words));
  for (let first = true; ; first = false) {
    const lost = await lostOf(app, seen);
    if (!lost) break;
    // Chromium breaks off what is on its way when the machine's networks change, and containers beside it change them
    const broken = failed.some((one) => lost.includes(one.url) && one.error?.includes("ERR_NETWORK_CHANGED"));
    assert.ok(first && broken, `${lost}: ${failed.map(({ url, error }) => `${url} ${error}`).join("\n")}`);
    await app.reload();
  }
  const bytes = randomBytes(20 << 20);
  await app.locator("input[type=file]").setInputFiles({ name: "points.bin", mimeType: "text/plain", buffer: bytes });
  await app.getByText(`sum ${createHash("sha256").update(bytes).digest("hex")}`).waitFor();
  await picture(app, `streamlit-${stage.title}`);
  await app.close();
}

/** What it says that was lost of what its chart is drawn by, which comes last; nothing: the chart is there. */
async function lostOf(app, seen) {
  await app.getByRole("heading", { name: "dashboard" }).waitFor();
  await app.evaluate(() => {
    new MutationObserver(() => {
      const words = /(w\d ?)+/.exec(document.querySelector("[data-testid=stMain]")?.textContent ?? "");
      if (words) window.seen(words[0].trim());
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await app.getByRole("button", { name: "stream" }).click();
  await app.getByText("streamed", { exact: true }).waitFor();
  assert.ok(seen.size >= 4, `the words came as ${[...seen].join(" | ")}`);
  await app.getByRole("spinbutton").fill("12");
  await app.getByRole("spinbutton").press("Enter");
  await app.getByText("square 144").waitFor();
  const chart = app.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").first();
  const lost = app.getByText("Failed to fetch dynamically imported module").first();
  await chart
    .or(lost)
    .first()
    .waitFor({ timeout: 120_000 })
    .catch(async (late) => {
      throw new Error(`${late.message}: ${await app.locator("[data-testid=stMain]").innerText()}`);
    });
  return (await chart.isVisible()) ? "" : lost.innerText();
}

/** Debian's Notebook 6: a notebook of its own, and a cell in it. */
export async function inClassic(stage) {
  const tree = await stage.open("notebook");
  await tree.locator("#new-dropdown-button").click();
  const [book] = await Promise.all([
    stage.context.waitForEvent("page"),
    tree.locator("#new-menu").getByText("Python 3").click(),
  ]);
  await book.locator("#kernel_indicator_icon.kernel_idle_icon").waitFor();
  await book.locator(".cell.selected .CodeMirror").click();
  await book.keyboard.insertText("print('six', 6 * 7)");
  await book.keyboard.press("Shift+Enter");
  await book.locator(".output_text", { hasText: "six 42" }).waitFor();
  await picture(book, `notebook-${stage.title}`);
  await book.close({ runBeforeUnload: false });
  await tree.close();
}
