// Real apps inside of the portal's own address: what can live there does, and what can not says which settings open it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

const address = process.env.SLUICE_INSIDE_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { picture } = await import("./browser.mjs");
const { furnished, missing } = await import("./notebooks.mjs");
const skip = missing || (!address && "SLUICE_INSIDE_URL names no gateway");

let home;
let stage;
before(async () => {
  if (skip) return;
  home = await furnished({ title: "inside" });
  stage = await home.visit();
});
after(() => home?.close());

test("jupyterlab_and_tensorboard_run_and_name_the_settings_that_would_open_them", { skip }, async () => {
  for (const name of ["jupyterlab", "tensorboard"]) {
    const row = stage.page.locator(`#endpoint-${name}`);
    await row.locator(".state", { hasText: "ready" }).waitFor();
    await row.locator(".why", { hasText: "--apps-domain or --endpoint-ports" }).waitFor();
    assert.equal(await row.locator("a.button").count(), 0);
  }
  await picture(stage.page, "endpoints-inside", { whole: true });
});

test("an_app_with_relative_links_streams_and_speaks_by_web_socket_as_nobody_s_page", { skip }, async () => {
  await stage.page.locator("#endpoint-streams form.check button").click();
  const streams = await stage.open("streams");
  assert.equal(new URL(streams.url()).origin, new URL(address).origin);
  assert.equal(await streams.evaluate(() => self.origin), "null");
  await streams.locator("#events", { hasText: "e0 e1 e2" }).waitFor();
  await streams.locator("#pieces", { hasText: "p0 p1 p2 p3 p4 |streamed" }).waitFor();
  await streams.locator("#socket", { hasText: "w0 w1 w2" }).waitFor();
  await streams.close();
});

test("a_terminal_is_the_portal_s_own_and_opens_here_too", { skip }, async () => {
  const [terminal] = await Promise.all([
    stage.context.waitForEvent("page"),
    stage.page.locator(".terminal-door button").click(),
  ]);
  await terminal.locator("web-terminal[state=open]").waitFor();
  await terminal.locator(".xterm-helper-textarea").focus();
  await terminal.keyboard.insertText("echo $((6*7))-there");
  await terminal.keyboard.press("Enter");
  await terminal.locator(".xterm-rows", { hasText: "42-there" }).waitFor();
  await terminal.close();
});

test("the_check_walks_the_whole_way_inside_too", { skip }, async () => {
  const checked = stage.page.locator("#endpoint-streams .checked");
  await checked.locator(".state.good").waitFor({ timeout: 90_000 });
  assert.match(await checked.innerText(), /silent for 60 s, and it still answers/);
});
