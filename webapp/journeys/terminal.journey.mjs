// A terminal in a running task: opened on the job's page, typed into, resized, lost and found again; as processes and in containers.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { admin, freshName, newcomer, openBrowser, PHONE, picture, signedIn, signIn, visitor } from "./browser.mjs";
import { desk, plain } from "./desk.mjs";
import { panel } from "./endpoints.mjs";

let browser;
let ours;
before(async () => {
  browser = await openBrowser();
  ours = await desk();
});
after(() => browser.close());

const word = (stem) => freshName(stem).replaceAll("-", "_");
const shows = (page, text) => page.locator(".xterm-rows", { hasText: text }).waitFor({ timeout: 60_000 });
const connected = (page) => page.locator("web-terminal[state=open]").waitFor({ timeout: 60_000 });

async function typed(page, text) {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.insertText(text);
  await page.keyboard.press("Enter");
}

async function openTerminal(context, page, key) {
  await page.goto(`/jobs/${key}`);
  await panel(page).scrollIntoViewIfNeeded();
  const [opened] = await Promise.all([context.waitForEvent("page"), page.locator(".terminal-door button").click()]);
  await connected(opened);
  return opened;
}

test("a_terminal_is_opened_on_the_jobs_page_and_outlives_a_reload_and_a_lost_line", async () => {
  const name = word("shell");
  const key = await ours.submit(plain(name, "sleep 600"));
  await ours.until(name, "RUNNING");
  const { page, context } = await signedIn(browser);
  const terminal = await openTerminal(context, page, key);
  const complaints = [];
  terminal.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  terminal.on("pageerror", (error) => complaints.push(String(error)));
  await typed(
    terminal,
    "x=kept; echo 你好-$((20 + 22)); printf '\\033[38;2;255;120;0mwarm\\033[0m \\033[32mgreen\\033[0m\\n'",
  );
  await shows(terminal, "你好-42");
  assert.deepEqual(await violations(terminal), []);
  await picture(terminal, "terminal");
  await terminal.setViewportSize({ width: 900, height: 500 });
  await typed(terminal, "sleep 1; echo size-$(stty size | tr ' ' x)");
  const rows = await terminal.locator(".xterm-rows > *").count();
  await shows(terminal, `size-${rows}x`);
  await terminal.reload();
  await connected(terminal);
  await shows(terminal, "你好-42");
  await context.setOffline(true);
  await typed(terminal, "echo lost");
  await context.setOffline(false);
  await typed(terminal, "echo still-$x");
  await shows(terminal, "still-kept");
  const second = await openTerminal(context, page, key);
  await typed(second, "echo other-$x-none");
  await shows(second, "other--none");
  await typed(second, "exit 7");
  await second.locator(".word", { hasText: "code 7" }).waitFor();
  await picture(second, "terminal-ended");
  await second.locator(".again").click();
  await connected(second);
  await ours.stop(name);
  await terminal.locator(".word", { hasText: "has ended" }).waitFor({ timeout: 60_000 });
  assert.deepEqual(
    complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|WebSocket/.test(text)),
    [],
  );
  await context.close();
});

test("what_is_selected_is_copied_and_what_is_pasted_is_typed_whole", async () => {
  const name = word("copied");
  const key = await ours.submit(plain(name, "sleep 600"));
  await ours.until(name, "RUNNING");
  const { page, context } = await signedIn(browser);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const terminal = await openTerminal(context, page, key);
  await typed(terminal, "clear; echo 复制-$((6 * 7))-copied");
  await shows(terminal, "复制-42-copied");
  const line = terminal.locator(".xterm-rows > *", { hasText: "复制-42-copied" }).last();
  const { x, y } = await line.boundingBox();
  await terminal.mouse.click(x + 20, y + 5, { clickCount: 3 });
  await terminal.keyboard.press("Control+Shift+C");
  const clipboard = () => terminal.evaluate(() => navigator.clipboard.readText());
  assert.equal((await clipboard()).trim(), "复制-42-copied");
  // without a selection it leaves alone what is there
  await terminal.mouse.click(x + 20, y + 5);
  await terminal.keyboard.press("Control+Shift+C");
  assert.equal((await clipboard()).trim(), "复制-42-copied");
  const paste = async (text) => {
    await terminal.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await terminal.locator(".xterm-helper-textarea").focus();
    await terminal.keyboard.press("Control+Shift+V");
  };
  // as programs want it that tell pasting from typing: no line of it is run before Enter is pressed
  await paste("echo first-$((1 + 1))\necho second-$((2 + 2))");
  await terminal.waitForFunction(() => document.querySelector(".xterm-rows").textContent.includes("second-$((2 + 2))"));
  assert.equal(await terminal.locator(".xterm-rows", { hasText: "first-2" }).count(), 0);
  await terminal.keyboard.press("Enter");
  await shows(terminal, "second-4");
  await typed(terminal, "clear; cat > pasted.txt; sha256sum pasted.txt; rm pasted.txt");
  const long = Array.from({ length: 5_000 }, (_, i) => `${i} 行 ${"x".repeat(i % 40)}`).join("\n");
  await paste(`${long}\n`);
  await terminal.keyboard.press("Control+D");
  await shows(terminal, `${createHash("sha256").update(`${long}\n`).digest("hex")}  pasted.txt`);
  await ours.stop(name);
  await context.close();
});

const FULL_SCREEN = `draw() { printf '\\033[2J\\033[Hdrawn %s' "$(stty size | tr ' ' x)"; }
trap draw WINCH; printf '\\033[?1049h\\033[?25l'; draw
for i in $(seq 6000); do printf '\\033[5;1H%060d' $i; done
printf '\\033[7;1Hcounted'; while :; do sleep 0.1; done`;

test("a_program_that_fills_the_screen_is_drawn_anew_when_what_it_drew_is_gone", async () => {
  const name = word("full");
  const key = await ours.submit(plain(name, "sleep 600"));
  await ours.until(name, "RUNNING");
  const { page, context } = await signedIn(browser);
  const terminal = await openTerminal(context, page, key);
  await typed(terminal, "echo before-$((40 + 2))");
  await shows(terminal, "before-42");
  await typed(terminal, `echo ${Buffer.from(FULL_SCREEN).toString("base64")} | base64 -d > full.sh; bash full.sh`);
  await shows(terminal, "counted");
  await terminal.reload();
  await connected(terminal);
  const rows = await terminal.locator(".xterm-rows > *").count();
  await shows(terminal, `drawn ${rows}x`);
  assert.equal(await terminal.locator(".xterm-rows", { hasText: "before-42" }).count(), 0);
  await ours.stop(name);
  await context.close();
});

test("on_a_phone_in_chinese_there_are_keys_and_a_task_that_does_not_run_says_so", async () => {
  const name = word("pocket");
  const key = await ours.submit(plain(name, "sleep 600"));
  await ours.until(name, "RUNNING");
  const { page, context } = await signedIn(browser, { language: "zh", viewport: PHONE, theme: "dark" });
  await page.goto(`/jobs/${key}/terminal`);
  await connected(page);
  await typed(page, "cat");
  await page.locator(".keys [value=ctrl]").tap();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.insertText("c");
  await typed(page, "echo ready-$((50 + 5))");
  await shows(page, "ready-55");
  await picture(page, "terminal-phone");
  assert.deepEqual(await violations(page), []);
  await ours.stop(name);
  await ours.until(name, "STOPPED");
  await page.goto(`/jobs/${key}/terminal?task=main/0`);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.locator(".word", { hasText: "任务已结束" }).waitFor();
  const stranger = await newcomer(browser);
  assert.equal((await stranger.page.goto(`/jobs/${key}/terminal`)).status(), 404);
  await stranger.context.close();
  await context.close();
});

const inDocker = process.env.SLUICE_DOCKER_URL;

test("a_terminal_opens_in_a_container_as_well", { skip: !inDocker && "needs a gateway with Docker" }, async () => {
  const { context, page } = await visitor(browser, { baseURL: inDocker });
  await signIn(page, admin);
  const name = word("boxed");
  const headers = { "Content-Type": "application/json" };
  const job = { ...plain(name, "sleep 600"), image: "shell:1" };
  const sent = await page.request.post("/api/v2/jobs", { headers: { ...headers, Origin: inDocker }, data: job });
  assert.equal(sent.status(), 202, await sent.text());
  await page.goto(`/jobs/${admin.name}~${name}`);
  await page.locator("#job-state .state.running").waitFor({ timeout: 60_000 });
  await page.goto(`/jobs/${admin.name}~${name}/terminal`);
  await connected(page);
  await typed(page, "echo inside-$((30 + 3)); cat /.dockerenv && echo boxed-$((1 + 1))");
  await shows(page, "inside-33");
  await shows(page, "boxed-2");
  await typed(page, "exit 5");
  await page.locator(".word", { hasText: "5" }).waitFor();
  await context.close();
});

test("a_terminal_opens_by_itself_once_its_task_runs_and_says_when_its_job_is_over", async () => {
  const name = word("later");
  const key = await ours.submit(plain(name, "sleep 600"));
  await ours.until(name, "RUNNING");
  const { page, context } = await signedIn(browser, { language: "zh", viewport: PHONE, theme: "dark" });
  let tries = 0;
  await page.routeWebSocket(/\/terminal\?/, (socket) => {
    if (++tries > 1) socket.connectToServer();
    else socket.send(JSON.stringify({ type: "end", reason: "task", detail: "", exitCode: null }));
  });
  await page.goto(`/jobs/${key}/terminal`);
  await page.locator(".word", { hasText: "运行后会自动打开终端" }).waitFor();
  assert.equal(await page.locator(".again").isHidden(), true);
  await connected(page);
  assert.equal(tries, 2);
  await ours.stop(name);
  await ours.until(name, "STOPPED");
  await page.locator(".again").click();
  await page.locator(".word", { hasText: "任务已结束" }).waitFor();
  assert.equal(await page.locator(".again").isHidden(), true);
  await picture(page, "terminal-over");
  await context.close();
});
