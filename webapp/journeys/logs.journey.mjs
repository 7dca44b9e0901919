// The log on the job's page, with real jobs that print what programs print.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { admin, DESKTOP, newcomer, openBrowser, PHONE, picture, signedIn, signIn, visitor } from "./browser.mjs";
import { logs, open, row, rows, status } from "./logs.mjs";

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

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
  const name = await desk.submit(LOOKS);
  await desk.until(name, "SUCCEEDED");
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
  const name = await desk.submit(HOSTILE);
  await desk.until(name, "SUCCEEDED");
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
  const name = await desk.submit(BARS);
  await desk.until(name, "RUNNING");
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
  await desk.stop(name);
});

for (const [what, script, last] of [
  [
    "a_bar_that_never_ended_its_line",
    "echo start; for i in $(seq 1 3000); do printf '\\r%5d/3000 [##########..........] loss 0.123' $i; done; sleep 600",
    "3000/3000",
  ],
  [
    "carriage_returns_only",
    "for i in $(seq 20000); do printf 'step %d\\r' $i; done; printf 'final    '; sleep 600",
    "final",
  ],
  ["thirty_megabytes_without_a_newline", "head -c 30000000 /dev/zero | tr '\\0' x; printf 'final'; sleep 600", "final"],
])
  test(`a_log_of_${what}_opens_at_its_end`, async () => {
    const name = await desk.printing(script);
    const { page, context, complaints } = await signedIn(browser);
    await open(page, name);
    await row(page, last).waitFor();
    assert.match(await status(page).innerText(), /^Following · [\d,]+ bytes, all stored$/);
    await page.locator("log-view .log-view").press("g");
    await page.waitForFunction(() =>
      /start|step|final|x{100}/.test(document.querySelector("log-view .row .text").textContent),
    );
    await page.locator("log-view .log-view").press("G");
    await row(page, last).waitFor();
    // the last word counts, whatever is on its way
    await page.locator("log-view .log-view").press("g");
    await page.locator("log-view .log-view").press("G");
    await page.waitForTimeout(300);
    await row(page, last).waitFor();
    assert.match(await status(page).innerText(), /^Following/);
    assert.deepEqual(complaints, []);
    await context.close();
    await desk.stop(name);
  });

test("following_lets_go_when_somebody_scrolls_up_and_counts_what_is_new", async () => {
  const name = await desk.submit("for i in $(seq 1 100000); do echo line $i; sleep 0.01; done");
  await desk.until(name, "RUNNING");
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
  await desk.stop(name);
});

test("a_search_goes_over_the_whole_log_and_a_link_leads_a_colleague_to_the_line", async () => {
  const name = await desk.printed("seq -f 'row %.0f of many, nothing special' 1 300000\necho needle in the end");
  const { page, context, complaints } = await signedIn(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await open(page, name);
  await row(page, "needle").waitFor();
  const search = page.locator("log-view input[type=search]");
  await search.fill("row 1234");
  // told with the next frame
  const counts = (said) => page.locator("log-view .count", { hasText: new RegExp(`^${said}$`) }).waitFor();
  await counts("1 of 111");
  await row(page, "row 1234 of").waitFor();
  await search.press("Enter");
  await row(page, "row 12340 of").waitFor();
  await counts("2 of 111");
  await search.press("Shift+Enter");
  await search.press("Shift+Enter");
  await counts("111 of 111");
  await row(page, "row 123499 of").waitFor();
  await page.waitForFunction(() => CSS.highlights.get("log-current")?.size === 1);

  const found = page.locator("log-view .row.found .no", { hasText: "123499" });
  await found.click();
  const link = page.url();
  assert.match(link, /\?role=worker&index=0#log=0\.0\.0\.worker@\d+$/);

  // somebody else, who may see the job, and one who may not
  const stranger = await newcomer(browser);
  await stranger.page.goto(link);
  await stranger.page.getByText(`Job ${admin.name}~${name} is not found.`).waitFor();
  assert.equal(await stranger.page.locator("log-view").count(), 0);
  await stranger.context.close();
  const colleague = await visitor(browser, { language: "zh" });
  await signIn(colleague.page, await desk.anotherAdministrator());
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
  // what was looked through is not looked through again: the log has ended
  const asked = [];
  page.on("request", (request) => request.url().includes("grep=") && asked.push(request.url()));
  await search.fill("needle");
  await page.waitForFunction(() => /1 of 1$/.test(document.querySelector("log-view .count").textContent));
  await page.waitForTimeout(4_000);
  assert.equal(asked.length, 1, asked.join("\n"));
  await context.close();
});

test("the_log_is_looked_at_in_both_languages_themes_and_sizes", async () => {
  const name = await desk.submit(`${LOOKS}\n${BARS}`);
  await desk.until(name, "RUNNING");
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
  await desk.stop(name);
});
