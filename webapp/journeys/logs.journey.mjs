// The log on the job's page, with real jobs that print what programs print.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { admin, DESKTOP, freshName, gateway, openBrowser, PHONE, picture, signedIn } from "./browser.mjs";

let browser;
let token;
before(async () => {
  browser = await openBrowser();
  token = (await api("POST", "/api/v1/authn/basic/login", { username: admin.name, password: admin.password })).token;
});
after(() => browser.close());

async function api(method, path, body) {
  const answer = await fetch(gateway + path, {
    method,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
  return answer.json();
}

/** Submits a job whose tasks run this script, and tells its name. */
async function submit(script, { instances = 1, stem = "log" } = {}) {
  const name = freshName(stem).replaceAll("-", "_");
  await api("POST", "/api/v2/jobs", {
    protocolVersion: 2,
    name,
    type: "job",
    prerequisites: [{ name: "image", type: "dockerimage", uri: "none" }],
    taskRoles: {
      worker: {
        instances,
        dockerImage: "image",
        resourcePerInstance: { cpu: 1, memoryMB: 200, gpu: 0 },
        commands: script.split("\n"),
      },
    },
  });
  return name;
}

async function state(name, ...wanted) {
  for (;;) {
    const { jobStatus } = await api("GET", `/api/v2/jobs/${admin.name}~${name}`);
    if (wanted.includes(jobStatus.state)) return;
    assert.ok(!["FAILED", "STOPPED"].includes(jobStatus.state), `${name} is ${jobStatus.state}`);
    await new Promise((later) => setTimeout(later, 100));
  }
}

const pathOf = (name) => `/jobs/${admin.name}~${name}`;

async function open(page, name, hash = "") {
  await page.goto(pathOf(name) + hash);
  await page.locator("log-view[ready]").waitFor();
}

const rows = (page) => page.locator("log-view .row .text").allInnerTexts();
const row = (page, text) => page.locator("log-view .row", { hasText: text }).first();
const status = (page) => page.locator("log-view .log-foot > span").first();

const LOOKS = `
printf '\\033[36m[sluice]\\033[0m 2 devices on a-03: Ascend 910B 0, 1 · rank table written\\n'
printf '\\033[2msource /pod.env\\033[0m\\n'
echo 'dataset: cifar10, 50000 images, shard 1 of 2'
printf '\\033[33mWARNING\\033[0m TFRecord cache is cold, first epoch will be slower\\n'
printf 'plain \\033[1mbold\\033[0m \\033[3mitalic\\033[0m \\033[4munderlined\\033[0m \\033[9mstruck\\033[0m \\033[7minverse\\033[0m \\033[38;5;208m256\\033[0m \\033[38;2;255;255;0m24-bit\\033[0m \\033[41mground\\033[0m\\n'
for i in 0 1 2 3 4 5 6 7; do printf "\\033[3\${i}mcolour\\033[0m \\033[9\${i}mbright\\033[0m "; done; echo
printf 'see \\033]8;;https://lab.example/run/7\\033\\\\the run\\033]8;;\\033\\\\ or https://lab.example/docs.\\n'
printf '日本語 中文 🚀 e\\314\\201\\n'
for e in 1 2 3 4 5 6; do printf 'epoch %s  loss \\033[32m%s\\033[0m  acc 0.%s  1,812 img/s\\n' $e 1.$e $e$e; done
`;

test("colours_links_and_letters_look_as_they_were_meant", async () => {
  const name = await submit(LOOKS);
  await state(name, "SUCCEEDED");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "epoch 6").waitFor();
  const shown = await rows(page);
  assert.ok(shown.includes("日本語 中文 🚀 e\u0301"));
  assert.ok(shown.includes("dataset: cifar10, 50000 images, shard 1 of 2"));
  const styled = page.locator("log-view .row .text");
  assert.match(await styled.locator(".fg-6", { hasText: "[sluice]" }).innerText(), /sluice/);
  assert.equal(await styled.locator(".bold").first().innerText(), "bold");
  const link = styled.locator("a", { hasText: "the run" });
  assert.equal(await link.getAttribute("href"), "https://lab.example/run/7");
  assert.match(await link.getAttribute("rel"), /noopener/);
  assert.equal(await styled.locator("a", { hasText: "docs" }).getAttribute("href"), "https://lab.example/docs");
  assert.match(await status(page).innerText(), /exit code 0 at byte [\d,]+, all [\d,]+ stored/);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});

const HOSTILE = `
printf 'clip \\033]52;c;cm0gLXJm\\007board\\n'
printf 'title \\033]0;owned\\007 query \\033[6n\\033[c done\\n'
printf '\\033]8;;javascript:alert(1)\\007press\\033]8;;\\007\\n'
echo '<img src=x onerror=alert(1)><script>alert(2)</script>'
printf 'user \\342\\200\\256gnp.exe\\n'
printf 'nul \\000 and \\377\\376 bad\\n'
printf 'unended \\033]52;c;AAAA\\n'
head -c 300000 /dev/zero | tr '\\000' 'x'; echo
for i in $(seq 1 2000); do printf '\\033[31m\\033[0m'; done; echo harmless
echo last
`;

test("hostile_output_is_shown_harmlessly", async () => {
  const name = await submit(HOSTILE);
  await state(name, "SUCCEEDED");
  const { page, context, complaints } = await signedIn(browser);
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs++;
    dialog.dismiss();
  });
  await open(page, name);
  await row(page, "last").waitFor();
  await page.locator("log-view .log-view").press("g");
  await row(page, "clip board").waitFor();
  const shown = (await rows(page)).join("\n");
  assert.match(shown, /clip board\ntitle {2}query {2}done\npress\n<img src=x onerror=alert\(1\)><script>/);
  assert.match(shown, /nul {2}and \ufffd\ufffd bad/);
  assert.match(shown, /unended/);
  assert.equal(await page.locator("log-view .row a[href^='javascript']").count(), 0);
  assert.equal(await page.locator("log-view .row .text :is(img, script)").count(), 0);
  assert.equal(await page.locator("log-view .row .control").first().getAttribute("data-code"), "U+202E");
  assert.notEqual(await page.title(), "owned");
  assert.equal(dialogs, 0);
  assert.ok((await page.locator("log-view .row").count()) <= 200);
  assert.deepEqual(complaints, []);
  await context.close();
});

const BARS = `
echo begin
for i in $(seq 1 40); do printf '\\r%3d %%|%s| %s/40' $((i * 100 / 40)) "$(printf '█%.0s' $(seq 1 $((i / 2 + 1))))" $i; sleep 0.02; done; echo
printf 'a: 0\\nb: 0\\n'
for i in $(seq 1 30); do printf '\\033[2A\\ra: %s\\n\\rb: %s\\n' $i $((i * 2)); sleep 0.02; done
echo end
sleep 600
`;

test("progress_bars_are_one_live_row_each_whose_history_is_kept", async () => {
  const name = await submit(BARS);
  await state(name, "RUNNING");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "end").waitFor();
  const shown = await rows(page);
  const begin = shown.indexOf("begin");
  assert.match(shown[begin + 1], /^100 %\|█+\| 40\/40$/);
  assert.deepEqual(shown.slice(begin + 2, begin + 5), ["a: 30", "b: 60", "end"]);
  await row(page, "100 %|").locator("button.history").click();
  const states = page.locator("log-view .states > div");
  await states.first().waitFor();
  const earlier = await states.allInnerTexts();
  assert.equal(earlier.length, 40);
  assert.match(earlier[0], /^ {2}2 %\|█\| 1\/40$/);
  assert.match(await status(page).innerText(), /bytes, all stored/);
  assert.deepEqual(complaints, []);
  await context.close();
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});

test("following_lets_go_when_somebody_scrolls_up_and_counts_what_is_new", async () => {
  const name = await submit("for i in $(seq 1 100000); do echo line $i; sleep 0.01; done");
  await state(name, "RUNNING");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "line 120").waitFor();
  const view = page.locator("log-view .log-view");
  await view.hover();
  await page.mouse.wheel(0, -900);
  const newer = page.locator("log-view .log-newer");
  await newer.waitFor();
  await page.waitForFunction(() => /New lines: \d{2}/.test(document.querySelector(".log-newer").textContent));
  const top = await view.evaluate((element) => element.scrollTop);
  await page.waitForFunction(() => /New lines: \d{3}/.test(document.querySelector(".log-newer").textContent));
  assert.equal(await view.evaluate((element) => element.scrollTop), top, "what is read stands still");
  await newer.click();
  await newer.waitFor({ state: "hidden" });
  const last = async () => Number(/line (\d+)/.exec((await rows(page)).at(-1))[1]);
  const seen = await last();
  await page.waitForFunction(
    (n) => Number(/line (\d+)$/.exec(document.querySelector(".log-rows").innerText.trimEnd())?.[1]) > n,
    seen,
  );
  assert.deepEqual(complaints, []);
  await context.close();
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});

test("a_search_goes_over_the_whole_log_and_a_link_leads_a_colleague_to_the_line", async () => {
  const name = await submit("seq -f 'row %.0f of many, nothing special' 1 300000\necho needle in the end");
  await state(name, "SUCCEEDED");
  const { page, context, complaints } = await signedIn(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await open(page, name);
  await row(page, "needle").waitFor();
  const search = page.locator("log-view input[type=search]");
  await search.fill("row 1234");
  const count = page.locator("log-view .count");
  await page.waitForFunction(() => /1 of 111$/.test(document.querySelector("log-view .count").textContent));
  await row(page, "row 1234 of").waitFor();
  await search.press("Enter");
  await row(page, "row 12340 of").waitFor();
  assert.equal(await count.innerText(), "2 of 111");
  await search.press("Shift+Enter");
  await search.press("Shift+Enter");
  assert.equal(await count.innerText(), "111 of 111");
  await row(page, "row 123499 of").waitFor();
  await page.waitForFunction(() => CSS.highlights.get("log-current")?.size === 1);

  const found = page.locator("log-view .row.found .no", { hasText: "123499" });
  await found.click();
  const link = page.url();
  assert.match(link, /#log=0\.0\.0\.worker@\d+$/);

  const colleague = await signedIn(browser, { language: "zh" });
  await colleague.page.goto(link);
  const target = colleague.page.locator("log-view .row.target");
  await target.waitFor();
  assert.match(await target.innerText(), /row 123499 of/);
  await colleague.page.waitForFunction(() => document.querySelector(".row.target .no").textContent === "123499");
  assert.match(await status(colleague.page).innerText(), /退出码 0/);
  await colleague.context.close();

  await page.locator("log-view .log-view").press("G");
  await row(page, "needle").waitFor();
  await page.locator("log-view .row", { hasText: "row 300000" }).locator(".text").click({ clickCount: 3 });
  await page.keyboard.press("Control+c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.trimEnd(), "row 300000 of many, nothing special");
  assert.deepEqual([...complaints, ...colleague.complaints], []);
  await context.close();
});

test("several_tasks_are_one_log_in_the_order_of_their_lines", async () => {
  const name = await submit(
    'for i in $(seq 1 3000); do echo "$PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX says $i"; sleep 0.2; done',
    {
      instances: 2,
    },
  );
  await state(name, "RUNNING");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "says 5").waitFor();
  await page.locator("log-view .log-task").selectOption("*");
  await page.waitForFunction(() => document.querySelectorAll("log-view .row .of-1").length > 12);
  const shown = await page
    .locator("log-view .row")
    .evaluateAll((all) =>
      all.map((one) => [one.querySelector(".of").textContent, one.querySelector(".text").textContent]),
    );
  for (const task of ["0", "1"]) {
    const own = shown.filter(([label]) => label === `worker ${task}`).map(([, text]) => text);
    assert.deepEqual(
      own.slice(0, 5),
      [1, 2, 3, 4, 5].map((i) => `${task} says ${i}`),
      "from the first line on",
    );
    assert.deepEqual(
      own,
      own.map((_, i) => `${task} says ${i + 1}`),
      "none is missing and none is there twice",
    );
  }
  assert.deepEqual(complaints, []);
  await context.close();
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});

test("where_web_sockets_are_blocked_the_log_is_asked_for_and_says_so", async () => {
  const name = await submit("for i in $(seq 1 100000); do echo line $i; sleep 0.05; done");
  await state(name, "RUNNING");
  const { page, context } = await signedIn(browser);
  // as a proxy does that knows no upgrade: the connection ends before it has begun
  await page.addInitScript(() => {
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      constructor(address, protocol) {
        super(protocol === "sluice.logs.v1" ? String(address).replace("/log?", "/blocked?") : address, protocol);
      }
    };
  });
  await open(page, name);
  await page.waitForFunction(() => /blocked/.test(document.querySelector("log-view .log-foot").textContent));
  const last = () =>
    page.evaluate(() => Number(/line (\d+)$/.exec(document.querySelector(".log-rows").innerText.trimEnd())?.[1]));
  const seen = await last();
  await page.waitForFunction(
    (n) => Number(/line (\d+)$/.exec(document.querySelector(".log-rows").innerText.trimEnd())?.[1]) > n,
    seen,
  );
  await context.close();
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});

test("a_log_of_a_gibibyte_opens_at_its_end_and_jumps_anywhere_at_once", async () => {
  const name = await submit(
    "{ yes 'a line of a log that is as long as most lines of most logs are, more or less' || true; } | head -c 1073741824\necho\necho the end",
  );
  await state(name, "SUCCEEDED");
  const { page, context } = await signedIn(browser);
  const figures = { open: [], jump: [] };
  for (let i = 0; i < 5; i++) {
    await open(page, name);
    await row(page, "the end").waitFor();
    figures.open.push(await page.evaluate(() => performance.getEntriesByName("log-open").at(-1).duration));
  }
  const strip = await page.locator("log-view .ruler").boundingBox();
  for (const part of [0.5, 0.1, 0.9, 0.33, 0.01, 0.77]) {
    const jumps = figures.jump.length;
    await page.mouse.click(strip.x + strip.width / 2, strip.y + strip.height * part);
    await page.waitForFunction((n) => performance.getEntriesByName("log-jump").length > n, jumps);
    figures.jump.push(await page.evaluate(() => performance.getEntriesByName("log-jump").at(-1).duration));
  }
  console.log(`gibibyte: open ${figures.open.map(Math.round)} ms, jump ${figures.jump.map(Math.round)} ms`);
  assert.ok((await page.locator("log-view .row").count()) <= 200);
  await context.close();
});

test("a_flood_of_lines_is_followed_smoothly", async () => {
  const flood =
    "import sys,time\nn=0\nwhile n<2500000:\n b=time.time()\n sys.stdout.write(''.join('line %d loss 0.123456 acc 0.9 of a flood of lines\\\\n'%(n+i) for i in range(10000)))\n sys.stdout.flush()\n n+=10000\n time.sleep(max(0,0.1-(time.time()-b)))";
  const name = await submit(
    `printf '${flood.replaceAll("\n", "\\n").replaceAll("%d", "%%d").replaceAll("%(", "%%(").replaceAll("'", "'\\''")}' > /tmp/flood.py\npython3 /tmp/flood.py`,
  );
  await state(name, "RUNNING");
  const { page, context } = await signedIn(browser);
  await open(page, name);
  await row(page, "flood of lines").waitFor();
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
    });
  });
  const frames = await page.evaluate(
    () =>
      new Promise((done) => {
        const gaps = [];
        let last = performance.now();
        const until = last + 8_000;
        const tick = (now) => {
          gaps.push(now - last);
          last = now;
          if (now < until) requestAnimationFrame(tick);
          else done(gaps);
        };
        requestAnimationFrame(tick);
      }),
  );
  const sorted = [...frames].sort((one, other) => one - other);
  const at = (part) => Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
  console.log(
    `flood: ${frames.length} frames, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${Math.round(sorted.at(-1))} ms`,
  );
  await context.close();
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});

test("the_log_is_looked_at_in_both_languages_themes_and_sizes", async () => {
  const name = await submit(`${LOOKS}\n${BARS}`);
  await state(name, "RUNNING");
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
    for (const theme of ["light", "dark"])
      for (const language of ["en", "zh"]) {
        const { page, context, complaints } = await signedIn(browser, { viewport, theme, language });
        await open(page, name);
        await row(page, "end").waitFor();
        await page.locator("log-view input[type=search]").fill("loss");
        await page.waitForFunction(() => CSS.highlights.get("log-found")?.size >= 6);
        await picture(page, `log-${size}-${theme}-${language}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
        if (language === "en") assert.deepEqual(await violations(page), []);
        assert.deepEqual(complaints, []);
        await context.close();
      }
  await api("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" });
});
