// How a log comes to the page when something is in the way: blocked sockets, lost connections, limits, deletion, a full disk.
import assert from "node:assert/strict";
import { appendFileSync, readdirSync } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { admin, gateway, openBrowser, picture, signedIn, signIn, visitor } from "./browser.mjs";
import { layCable } from "./cable.mjs";
import { logs, open, row, rows, view } from "./logs.mjs";

/** A gateway that keeps little, and the folder it keeps it in. */
const small = process.env.SLUICE_SMALL_URL;
const kept = process.env.SLUICE_SMALL_DATA;

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

const foot = (page, pattern) =>
  page.waitForFunction(
    ([source]) => new RegExp(source).test(document.querySelector("log-view .log-foot")?.textContent ?? ""),
    [pattern.source],
  );
const lastLine = (page) =>
  page.evaluate(() => Number(/line (\d+)$/.exec(document.querySelector(".log-rows").innerText.trimEnd())?.[1]));
const goesOn = async (page) => {
  const seen = await lastLine(page);
  await page.waitForFunction(
    (n) => Number(/line (\d+)$/.exec(document.querySelector(".log-rows").innerText.trimEnd())?.[1]) > n,
    seen,
  );
};

/** A proxy on the way that knows no upgrade of a log's connection, until it is `open`. */
async function proxy() {
  const to = new URL(gateway);
  const way = { open: false };
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const onward = request({ host: to.hostname, port: to.port, method, path: url, headers }, (answered) => {
      answer.writeHead(answered.statusCode, answered.headers);
      answered.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    asked.pipe(onward);
  });
  server.on("upgrade", (asked, socket) => {
    socket.on("error", () => socket.destroy());
    if (!way.open && asked.url.includes("/log?"))
      return socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    const onward = connect(Number(to.port), to.hostname, () => {
      const lines = asked.rawHeaders.flatMap((name, i) => (i % 2 ? [] : [`${name}: ${asked.rawHeaders[i + 1]}`]));
      onward.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  way.address = `http://127.0.0.1:${server.address().port}`;
  way.close = () => {
    server.close();
    server.closeAllConnections();
  };
  return way;
}

/** Somebody signed in whose way to the gateway leads through such a proxy. */
async function behindProxy() {
  const way = await proxy();
  const visit = await visitor(browser, { baseURL: way.address });
  await signIn(visit.page);
  return { ...visit, way };
}

test("where_web_sockets_are_blocked_the_log_is_asked_for_until_they_get_through", async () => {
  const name = await desk.printing("for i in $(seq 1 100000); do echo line $i; sleep 0.05; done");
  const { page, context, way } = await behindProxy();
  await open(page, name);
  await foot(
    page,
    /^Live updates are blocked on the way here, so the log is asked for once a second · [\d,]+ bytes, all/,
  );
  await goesOn(page);
  await picture(page, "log-polling");
  way.open = true;
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await foot(page, /^Following/);
  await goesOn(page);
  const numbers = (await rows(page)).filter(Boolean).map((text) => Number(/^line (\d+)$/.exec(text)[1]));
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => numbers[0] + i),
    "no line is missing or there twice where the ways changed",
  );
  await context.close();
  way.close();
  await desk.stop(name);
});

test("a_log_that_is_asked_for_ends_with_its_exit_code", async () => {
  const name = await desk.submit("for i in $(seq 1 60); do echo line $i; sleep 0.1; done; exit 3");
  await desk.until(name, "RUNNING");
  const { page, context, way } = await behindProxy();
  await open(page, name);
  await foot(page, /blocked/);
  await foot(page, /^Ended with exit code 3 at byte [\d,]+, all [\d,]+ stored/);
  assert.equal((await rows(page)).filter((text) => text.startsWith("line ")).at(-1), "line 60");
  await context.close();
  way.close();
});

test("who_falls_behind_is_told_what_was_skipped_and_reads_it_by_scrolling_up", async () => {
  const line = "of a job that prints far more than a slow connection can bring to anybody who looks at it";
  const name = await desk.printing(
    `for r in $(seq 1 1000); do seq -f 'line %.0f ${line}' $((r * 2000 - 1999)) $((r * 2000)); sleep 0.05; done`,
  );
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "of a job").waitFor();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  const slow = { offline: false, latency: 20, downloadThroughput: 60_000, uploadThroughput: 60_000 };
  await network.send("Network.emulateNetworkConditions", slow);
  await foot(
    page,
    /^Following · [\d,]+ bytes, all stored · [\d.]+ MB went by too quickly to show; scroll up to read them/,
  );
  assert.ok((await rows(page)).length > 20, "rows stay until others come");
  await picture(page, "log-skipped");
  await desk.stop(name);
  await network.send("Network.emulateNetworkConditions", { ...slow, downloadThroughput: -1, uploadThroughput: -1 });
  await foot(page, /^Ended/);
  const numbers = async () => (await rows(page)).flatMap((text) => /^line (\d+) of/.exec(text)?.[1] ?? []).map(Number);
  const [first] = await numbers();
  await view(page).hover();
  for (let turns = 0; turns < 60; turns++) await page.mouse.wheel(0, -2_000);
  await page.waitForFunction(
    (n) => Number(/line (\d+)/.exec(document.querySelector(".log-rows").innerText)[1]) < n,
    first,
  );
  const read = await numbers();
  assert.ok(read.length > 50);
  assert.deepEqual(
    read,
    read.map((_, i) => read[0] + i),
    "what was skipped is there",
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_log_goes_on_where_it_was_after_the_connection_was_lost", async () => {
  const name = await desk.printing("for i in $(seq 1 100000); do echo line $i; sleep 0.02; done");
  const cable = await layCable();
  const { page, context } = await signedIn(browser, { baseURL: cable.origin });
  await open(page, name);
  await row(page, "line 20").waitFor();
  cable.cut();
  await foot(page, /^Connection lost/);
  cable.mend();
  await foot(page, /^Following/);
  await goesOn(page);
  const numbers = (await rows(page)).filter(Boolean).map((text) => Number(/^line (\d+)$/.exec(text)[1]));
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => numbers[0] + i),
  );
  await context.close();
  cable.close();
  await desk.stop(name);
});

/** Somebody signed in at the small gateway. */
async function atSmall(options = {}) {
  const visit = await visitor(browser, { baseURL: small, ...options });
  await signIn(visit.page);
  return visit;
}

test("what_a_log_lost_to_its_limit_stands_where_it_was", { skip: !small && "needs SLUICE_SMALL_URL" }, async () => {
  const keeper = await logs(small);
  const name = await keeper.printing(
    "seq -f 'line %.0f of a log that becomes too large for what may be kept' 1 1600000; echo the end; sleep 600",
  );
  for (let state = { gaps: [] }; state.gaps.length === 0; ) state = await keeper.state(name);
  const { page, context, complaints } = await atSmall();
  await open(page, name);
  await row(page, "the end").waitFor();
  await foot(page, /Following · [\d,]+ bytes, [\d.]+ MB of them missing/);
  await page.locator("log-view .ruler i.hole").first().waitFor({ state: "attached" });
  const { gaps } = await keeper.state(name);
  const strip = await page.locator("log-view .ruler").boundingBox();
  const { size } = await keeper.state(name);
  const middle = (gaps[0].from + gaps[0].to) / 2 / size;
  await page.mouse.click(strip.x + strip.width / 2, strip.y + strip.height * middle);
  const hole = page.locator("log-view .row.hole");
  await view(page).hover();
  // what is above is fetched as it comes near: on a busy machine a turn may find nothing to go to yet
  for (let turns = 0; turns < 600 && (await hole.count()) === 0; turns++) {
    await page.mouse.wheel(0, -400);
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  }
  await hole.waitFor();
  assert.match(await hole.innerText(), /[\d.]+ MB are missing here: the log reached its size limit/);
  await hole.scrollIntoViewIfNeeded();
  await picture(page, "log-gap");
  // and on across it, up to the beginning
  for (let turns = 0; turns < 60; turns++) await page.mouse.wheel(0, -300);
  await page.waitForFunction(() => /line \d+ of a log/.test(document.querySelector("log-view .row .text").textContent));
  await view(page).press("g");
  await row(page, "line 1 of a log").waitFor();

  // a link into what is gone leads to where it was
  const colleague = await atSmall();
  const inside = Math.floor((gaps[0].from + gaps[0].to) / 2);
  await colleague.page.goto(`/jobs/${admin.name}~${name}#log=0.0.0.worker@${inside}`);
  await colleague.page.locator("log-view .row.hole.target").waitFor();
  await row(colleague.page, "of a log").waitFor();
  assert.ok(!(await colleague.page.locator("log-view").innerText()).includes("[sluice:"));
  assert.deepEqual([...complaints, ...colleague.complaints], []);
  await colleague.context.close();
  await context.close();
  await keeper.stop(name);
});

test("where_the_disk_was_full_something_may_be_missing_and_it_says_when", {
  skip: !small && "needs SLUICE_SMALL_URL",
}, async () => {
  const keeper = await logs(small);
  const name = await keeper.printed("seq -f 'line %.0f' 1 20000");
  const gaps = () => {
    const newest = Math.max(...readdirSync(join(kept, "jobs")).map(Number).filter(Number.isInteger));
    return join(kept, `jobs/${newest}/0/worker-0-0.log.gaps`);
  };
  // as the gateway writes it when the kernel refuses a write
  const at = Date.UTC(2026, 10, 18, 12, 1, 7);
  const gap = { from: 48_894, to: 48_894, reason: "disk_full", at, until: at + 153_000 };
  appendFileSync(gaps(), `${JSON.stringify(gap)}\n`);
  const { page, context, complaints } = await atSmall({ timezoneId: "UTC" });
  await open(page, name);
  await foot(page, /some may be missing where the disk was full/);
  await view(page).press("g");
  await row(page, "line 1").waitFor();
  const hole = page.locator("log-view .row.hole");
  await view(page).hover();
  for (let turns = 0; turns < 400 && (await hole.count()) === 0; turns++) await page.mouse.wheel(0, 900);
  await hole.waitFor();
  assert.match(
    await hole.innerText(),
    /Output may be missing here: the disk was full \(.*12:01:07.* to .*12:03:40.*\)/,
  );
  await hole.scrollIntoViewIfNeeded();
  await picture(page, "log-disk-full");

  // one that still runs shows it where it was, too, and once
  const running = await keeper.printing("seq -f 'line %.0f' 1 20000; sleep 600");
  while ((await keeper.state(running)).size < 208_894) await new Promise((later) => setTimeout(later, 100));
  const behind = 208_894 - 11 * 11;
  appendFileSync(gaps(), `${JSON.stringify({ ...gap, from: behind, to: behind })}\n`);
  await open(page, running);
  await row(page, "line 20000").waitFor();
  await foot(page, /some may be missing where the disk was full/);
  const shown = await rows(page);
  const place = shown.indexOf("line 19990");
  assert.match(shown[place - 1], /^Output may be missing here/);
  assert.equal(shown[place - 2], "line 19989");
  assert.equal(shown.filter((text) => text.startsWith("Output may be missing")).length, 1);
  // and what was there when it was opened is not new
  await view(page).press("g");
  await page.locator("log-view .row .no", { hasText: /^1$/ }).waitFor();
  assert.match(await page.locator("log-view .log-newer").innerText(), /To the end/);
  await keeper.stop(running);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_deleted_log_says_so_in_both_languages", { skip: !small && "needs SLUICE_SMALL_URL" }, async () => {
  const keeper = await logs(small);
  const old = await keeper.printed("head -c 60000000 /dev/zero | tr '\\0' x");
  const watching = await atSmall();
  await open(watching.page, old);
  const young = await keeper.printed("head -c 60000000 /dev/zero | tr '\\0' y");
  const gone = async () =>
    (await fetch(`${small}${keeper.pathOf(old)}/state`, { headers: keeper.headers })).status === 410;
  while (!(await gone())) await new Promise((later) => setTimeout(later, 200));
  const { page, context } = await atSmall();
  await page.goto(`/jobs/${admin.name}~${old}`);
  await page.getByText("This log was deleted to make room for newer ones. It had 60,000,000 bytes.").waitFor();
  await picture(page, "log-deleted");
  const chinese = await atSmall({ language: "zh" });
  await chinese.page.goto(`/jobs/${admin.name}~${old}`);
  await chinese.page.getByText("为给新日志腾出空间，此日志已被删除").waitFor();
  await open(page, young);
  // one who had it open, too
  await view(watching.page).press("g");
  await foot(watching.page, /This log was deleted/);
  for (const one of [context, chinese.context, watching.context]) await one.close();
});
