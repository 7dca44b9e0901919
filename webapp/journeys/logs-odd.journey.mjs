// What programs print that is not plain text, and reading it by keyboard, by ear, by copy and by download.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { violations } from "./axe.mjs";
import { openBrowser, PHONE, picture, signedIn } from "./browser.mjs";
import { logs, open, row, rows, status, view } from "./logs.mjs";

let browser;
let desk;
before(async () => {
  browser = await openBrowser();
  desk = await logs();
});
after(() => browser.close());

const BARS = String.raw`
printf 'tqdm\n'
for i in $(seq 0 5 100); do printf '\rtrain: %3d%%|%-10s| %d/100 [00:0%d<00:0%d, 61.4it/s]' $i "$(printf '█%.0s' $(seq 1 $((i / 10 + 1))))" $i $((i / 20)) $((5 - i / 20)) >&2; sleep 0.01; done; echo >&2
printf 'pip\n'
for i in $(seq 1 20); do printf '\r\033[2K   \033[38;2;249;38;114m━━━━━━━━\033[0m \033[32m%d.0/20.0 MB\033[0m eta \033[36m0:00:01\033[0m' $i; sleep 0.01; done; printf '\r\033[2K   \033[38;5;70m━━━━━━━━━━\033[0m 20.0/20.0 MB\n'
printf 'docker\n'
printf 'aaa: Waiting\nbbb: Waiting\nccc: Waiting\n'
for i in $(seq 1 10); do printf '\033[3A\033[2K\raaa: Downloading %d/10\033[3B' $i; printf '\r\033[2A\033[2K\rbbb: Extracting %d/10\033[2B\r' $i; sleep 0.01; done
printf '\033[1A\033[2K\rccc: Pull complete\033[1B\r'
printf 'nested\n'
printf 'outer 0\n'
for o in 1 2 3; do for i in 1 2 3; do printf '\rinner %d' $i; done; printf '\033[1A\router %d\n' $o; done; printf '\n'
printf 'spinner '; for i in 1 2 3 4; do printf '\b/'; printf '\b-'; done; printf '\b*\n'
echo the end`;

test("bars_of_tqdm_pip_and_docker_are_one_row_each", async () => {
  const name = await desk.printed(BARS);
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "the end").waitFor();
  const shown = (await rows(page)).map((text) => text.trimEnd());
  const at = (text) => shown.indexOf(text);
  assert.match(shown[at("tqdm") + 1], /^train: 100%\|█{10,11}\s*\| 100\/100/);
  assert.match(shown[at("pip") + 1], /^ {3}━{10} 20\.0\/20\.0 MB$/);
  assert.deepEqual(shown.slice(at("docker") + 1, at("nested")), [
    "aaa: Downloading 10/10",
    "bbb: Extracting 10/10",
    "ccc: Pull complete",
  ]);
  assert.deepEqual(shown.slice(at("nested") + 1, at("nested") + 3), ["outer 3", "inner 3"]);
  assert.ok(shown.includes("spinner*") || shown.includes("spinner *"), shown.at(-2));
  await row(page, "aaa: Downloading").locator("button.history").click();
  await page.locator("log-view .states > div", { hasText: "Downloading 1/10" }).waitFor();
  const states = await page.locator("log-view .states > div").allInnerTexts();
  assert.ok(states.length >= 10, "its history is kept");
  assert.deepEqual(complaints, []);
  await context.close();
});

const COLOURS = String.raw`
for f in $(seq 30 37) $(seq 90 97); do printf "\033[$f"'mfg %s\033[0m ' $f; done; echo
for b in $(seq 40 47) $(seq 100 107); do printf "\033[$b"'mbg %s\033[0m ' $b; done; echo
printf '\033[30;42m PASS \033[0m \033[97;41m FAIL \033[0m \033[1;37;44m INFO \033[0m \033[30;43m WARN \033[0m\n'
for c in 16 18 21 27 46 51 88 93 118 160 196 208 220 226 231 232 240 250 255; do printf "\033[38;5;$c"'mc%s\033[0m '"\033[48;5;$c"'mg%s\033[0m ' $c $c; done; echo
for c in '0;0;0' '0;0;128' '20;20;60' '255;255;0' '255;255;255' '128;128;128' '10;200;10'; do printf "\033[38;2;$c"'mtrue\033[0m '"\033[48;2;$c"'mground\033[0m '"\033[38;2;$c;48;5;240m"'both\033[0m '"\033[31;48;2;$c"'mred on\033[0m '"\033[7;38;2;$c"'minverse\033[0m '; done; echo
printf '\033[2mdim\033[0m \033[2;31mdim red\033[0m \033[7minverse\033[0m \033[7;32minverse green\033[0m \033[1;33mbold\033[0m\n'
echo the end`;

test("whatever_a_program_colours_can_be_read_on_both_grounds", async () => {
  const name = await desk.printed(COLOURS);
  for (const theme of ["light", "dark"]) {
    const { page, context } = await signedIn(browser, { theme });
    await open(page, name);
    await row(page, "the end").waitFor();
    await picture(page, `log-colours-${theme}`);
    assert.deepEqual(
      (await violations(page)).filter((fault) => fault.startsWith("color-contrast")),
      [],
      theme,
    );
    await context.close();
  }
});

const HOSTILE = String.raw`
python3 - <<'END'
import sys, os
out = sys.stdout.buffer
w = out.write
w(b'begin\n')
w(b'\x1b]8;;javascript:alert(1)\x07press\x1b]8;;\x07 \x1b]8;;https://lab.example/ok\x1b\\good\x1b]8;;\x1b\\\n')
w(b'\x1b]52;c;cm0gLXJm\x07clip \x1b[6n\x1b[c\x1bP+q544e\x1b\\\x1b[?1049h\x1b[?25lquery\n')
w(b'<script>alert(2)</script><img src=x onerror=alert(3)>&lt;\n')
w('user \u202egnp.exe \u2066x\u2069 \u200f\n'.encode())
w(b'nul \0 bad \xff\xfe \xc3( \xed\xa0\x80\n')
w('日本語 中文 \U0001f680 e\u0301\n'.encode())
w(b'\n')
for n in (1, 4095, 4096, 4097, 16383, 16384, 16385, 65535, 65536, 65537): w(b'y' * n + b'\n')
for i in range(1000000): w(b'\x1b[31m' if i % 2 else b'\x1b[0m')
w(b'after a million\n')
w(b'a\rb\rc\rd')
w(b'\n')
out.flush()
for i in range(1600): w(b'x' * 65536)
w(b'\nthe end\n')
END`;

test("hostile_output_is_shown_harmlessly_and_downloaded_byte_for_byte", async () => {
  const name = await desk.printed(HOSTILE, { stem: "hostile" });
  const { page, context, complaints } = await signedIn(browser);
  let dialogs = 0;
  page.on("dialog", (dialog) => {
    dialogs++;
    dialog.dismiss();
  });
  await open(page, name);
  await row(page, "the end").waitFor();
  await view(page).press("g");
  await row(page, "begin").waitFor();
  const shown = await rows(page);
  const begin = shown.indexOf("begin");
  assert.deepEqual(shown.slice(begin + 1, begin + 4), [
    "press good",
    "clip query",
    "<script>alert(2)</script><img src=x onerror=alert(3)>&lt;",
  ]);
  assert.match(shown[begin + 5], /^nul {2}bad \ufffd+ \ufffd\( \ufffd+$/);
  assert.equal(shown[begin + 6], "日本語 中文 🚀 e\u0301");
  assert.deepEqual(
    await page
      .locator("log-view .row")
      .nth(begin + 4)
      .locator(".control")
      .evaluateAll((all) => all.map((one) => one.dataset.code)),
    ["U+202E", "U+2066", "U+2069", "U+200F"],
  );
  assert.equal(await page.locator("log-view .row a[href^='javascript']").count(), 0);
  assert.equal(await page.locator("log-view .row .text :is(img, script)").count(), 0);
  await page.locator("log-view input[type=search]").fill("after a million");
  await page.waitForFunction(() => /1 of 1$/.test(document.querySelector("log-view .count").textContent));
  await row(page, "after a million").waitFor();
  assert.ok((await rows(page)).includes("d"), "of what was written over and over there is the last");
  assert.ok((await page.locator("log-view .row").count()) <= 200);
  assert.equal(dialogs, 0);
  assert.notEqual(await page.title(), "owned");

  const stored = await desk.bytes(name);
  assert.ok(stored.length > 100_000_000);
  for (const [label, unpack] of [
    ["As it was printed", (bytes) => bytes],
    ["Compressed", gunzipSync],
  ]) {
    await page.locator("log-view summary[title=Download]").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("log-view .log-downloads a", { hasText: label }).click(),
    ]);
    assert.match(download.suggestedFilename(), /\.log\.(txt|gz)$/);
    const bytes = unpack(readFileSync(await download.path()));
    assert.ok(bytes.equals(stored), label);
    await view(page).click();
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the_log_is_read_by_keyboard_alone", async () => {
  const name = await desk.printed("for i in $(seq 1 5000); do echo line $i; done; echo needle; sleep 3; echo later");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "later").waitFor();
  await view(page).focus();
  const first = () => page.locator("log-view .row .text").first().innerText();
  await page.keyboard.press("g");
  await row(page, "line 1").waitFor();
  assert.equal(await first(), "line 1");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.querySelector("log-view .log-view").scrollTop > 100);
  await page.keyboard.press("G");
  await row(page, "later").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("line 4321");
  await page.keyboard.press("Enter");
  await page.locator("log-view .row.found", { hasText: "line 4321" }).waitFor();
  await page.waitForFunction(() =>
    /4,?321 line 4321/.test(document.querySelector("log-view [aria-live=polite].unseen").textContent),
  );
  await page.keyboard.press("Escape");
  await view(page).focus();
  await page.keyboard.press("t");
  await page.locator("log-view .row time").first().waitFor();
  await page.keyboard.press("t");
  await page.locator("log-view .row time").first().waitFor({ state: "detached" });
  await page.keyboard.press("w");
  assert.equal(await page.locator("log-view").getAttribute("wrap"), null);
  await page.keyboard.press("w");
  await page.keyboard.press("l");
  await page.waitForURL(/#log=0\.0\.0\.worker@\d+$/);
  await page.locator("log-view .row.target").waitFor();

  await page.keyboard.press(":");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  const line = page.locator("log-view .toLine input");
  await line.focus();
  await page.keyboard.type("1234");
  await page.keyboard.press("Enter");
  await page.locator("log-view .row.target", { hasText: "line 1234" }).waitFor();
  await view(page).focus();
  await page.keyboard.press("z");
  const box = await page.locator("log-view .viewer").boundingBox();
  assert.deepEqual([box.x, box.y, box.width], [0, 0, page.viewportSize().width]);
  await picture(page, "log-large");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("log-view").getAttribute("large"), null);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys in the log" });
  await help.waitFor();
  assert.ok((await help.getByRole("row").count()) >= 12);
  await picture(page, "log-keys");
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  assert.ok(await view(page).evaluate((element) => element === document.activeElement), "back where one was");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what_is_found_far_to_the_right_or_deep_in_a_long_line_comes_into_view", async () => {
  const name = await desk.printed("seq 1 300\nprintf '%1900s needle\\n' x | tr ' ' _\nseq 1 300");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "300").waitFor();
  for (const wrap of [true, false]) {
    if (!wrap) await view(page).press("w");
    await page.locator("log-view input[type=search]").fill(wrap ? "_needle" : "needle");
    await page.waitForFunction(() => {
      const [match] = CSS.highlights.get("log-current") ?? [];
      if (!match) return false;
      const found = match.getBoundingClientRect();
      const window = document.querySelector("log-view .log-view").getBoundingClientRect();
      const across = found.left >= window.left && found.right <= window.right;
      return across && found.top >= window.top && found.bottom <= window.bottom;
    });
  }
  assert.ok((await view(page).evaluate((element) => element.scrollLeft)) > 500);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_line_that_is_not_there_is_said_to_be_missing", async () => {
  const name = await desk.printed("seq 1 5000");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "5000").waitFor();
  await view(page).focus();
  await page.keyboard.press(":");
  const sheet = await page.locator("log-view .menu[open] .menu-sheet").boundingBox();
  for (const inside of await page.locator("log-view .menu[open] .menu-sheet :is(input, button)").all()) {
    const box = await inside.boundingBox();
    assert.ok(box.x >= sheet.x && box.x + box.width <= sheet.x + sheet.width, "what is in the sheet stays in it");
  }
  await page.locator("log-view .toLine input").fill("999999");
  await page.keyboard.press("Enter");
  await page.getByText("Line 999,999 is not there: this log has 5,000 lines").first().waitFor();
  assert.equal(await page.locator("log-view .row.target").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_log_without_a_byte_says_so_and_a_short_one_takes_no_more_room_than_it_needs", async () => {
  const silent = await desk.printed("true");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, silent);
  await page.getByText("The task has ended and printed nothing.").waitFor();
  const sleeping = await desk.printing("sleep 600");
  await open(page, sleeping);
  await page.getByText("Nothing has been printed yet.").waitFor();
  await desk.stop(sleeping);
  await open(page, await desk.printed("echo one line"));
  await row(page, "one line").waitFor();
  await page.waitForFunction(() => document.querySelector("log-view .log-view").clientHeight < 160);
  assert.equal(await page.locator("log-view .ruler").evaluate((strip) => getComputedStyle(strip).visibility), "hidden");
  await picture(page, "log-short");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a_time_leads_to_what_was_printed_then", async () => {
  const name = await desk.printed(
    "for i in 1 2 3 4; do echo second $i; for n in $(seq 1 2000); do echo filler; done; sleep 2.2; done",
  );
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await view(page).press("t");
  await page.locator("log-view .row time").first().waitFor();
  await page.locator("log-view input[type=search]").fill("second 3");
  const third = page.locator("log-view .row.found");
  await third.waitFor();
  const at = await third.locator("time").getAttribute("datetime");
  await page.locator("log-view input[type=search]").fill("");
  await view(page).press("G");
  await page.locator("log-view summary[title='Go to…']").click();
  const field = page.locator("log-view .toTime input");
  await page.waitForFunction(() => document.querySelector("log-view .toTime input").value !== "");
  await field.fill(
    await page.evaluate((time) => {
      const date = new Date(new Date(time).getTime() - 1000);
      return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
    }, at),
  );
  await field.press("Enter");
  const target = page.locator("log-view .row.target");
  await target.waitFor();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("log-view .row .text")].some((text) => /second [23]/.test(text.textContent)),
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

test("who_listens_is_told_now_and_then_and_not_every_line", async () => {
  const name = await desk.printing("for i in $(seq 1 100000); do echo line $i; sleep 0.01; done");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, name);
  await row(page, "line 50").waitFor();
  assert.equal(await view(page).getAttribute("role"), "log");
  assert.equal(await view(page).getAttribute("aria-live"), "off");
  assert.equal(await view(page).getAttribute("aria-label"), "Output of the task");
  // what a screen reader finds, in this order
  const tree = await page.locator("log-view").ariaSnapshot();
  const parts = ['searchbox "Search the whole log"', 'button "Timestamps"', 'log "Output of the task"', "Following"];
  const places = parts.map((part) => tree.indexOf(part));
  assert.ok(places[0] >= 0 && places.every((place, i) => i === 0 || place > places[i - 1]), `${places} in ${tree}`);
  await view(page).focus();
  await page.evaluate(() => {
    window.told = [];
    const voice = document.querySelector("log-view [aria-live=polite].unseen");
    new MutationObserver(() => window.told.push(voice.textContent)).observe(voice, { childList: true });
  });
  await page.waitForFunction(() => window.told.length >= 2);
  const told = await page.evaluate(() => window.told);
  assert.match(told.at(-1), /^[\d,]+ new lines\. The last: line \d+$/);
  const counts = told.slice(-1).map((sentence) => Number.parseInt(sentence.replaceAll(",", ""), 10));
  assert.ok(counts[0] > 100, "hundreds of lines are one sentence");
  assert.deepEqual(complaints, []);
  await context.close();
  await desk.stop(name);
});

test("what_is_copied_is_what_was_printed", async () => {
  const name = await desk.printed(
    String.raw`printf 'one\n\033[31mtwo\033[0m and \033[1mmore\033[0m\n'; head -c 5000 /dev/zero | tr '\0' z; echo; echo last`,
  );
  const { page, context } = await signedIn(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await open(page, name);
  await row(page, "last").waitFor();
  await view(page).press("t");
  await page.locator("log-view .row time").first().waitFor();
  await page.evaluate(() => {
    const texts = [...document.querySelectorAll("log-view .row .text")];
    const begin = texts.find((text) => text.textContent === "one");
    const range = document.createRange();
    range.setStart(begin.firstChild, 0);
    range.setEnd(texts.at(-1).firstChild ?? texts.at(-1), 0);
    const end = texts.findLast((text) => text.textContent === "last");
    range.setEnd(end.firstChild, 4);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  });
  await page.keyboard.press("Control+c");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `one\ntwo and more\n${"z".repeat(5000)}\nlast`);
  await context.close();
});

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const noted = (page, words) => page.locator("log-view .log-foot .place", { hasText: words }).waitFor();

test("what_is_copied_holds_what_is_not_on_the_page_and_what_can_not_be_seen", async () => {
  const name = await desk.printed(
    String.raw`printf 'user \342\200\256gnp.exe \342\201\246x\342\201\251\n'; for i in $(seq 1 40000); do printf '\033[32mrow %d\033[0m of many\n' $i; done; echo the end`,
  );
  const { page, context, complaints } = await signedIn(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await open(page, name);
  await row(page, "the end").waitFor();
  await view(page).press("g");
  await row(page, "gnp.exe").waitFor();
  // from within the second row, by far not all of which are in memory, to within the last
  const second = page.locator("log-view .row .text", { hasText: /^row 1 of many$/ });
  // rows still find their places after a jump
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const at = await second.boundingBox();
    await page.mouse.click(at.x + 1, at.y + at.height / 2);
    if (await page.evaluate(() => getSelection().anchorNode?.textContent === "row 1")) break;
  }
  assert.equal(await page.evaluate(() => getSelection().anchorNode?.textContent), "row 1");
  await view(page).press("G");
  const last = page.locator("log-view .row .text", { hasText: /^the end$/ });
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const end = await last.evaluate((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { right, top, height } = range.getBoundingClientRect();
      return { x: right - 1, y: top + height / 2 };
    });
    await page.keyboard.down("Shift");
    await page.mouse.click(end.x, end.y);
    await page.keyboard.up("Shift");
    if (await page.evaluate(() => getSelection().focusNode?.textContent === "the end")) break;
  }
  assert.equal(await page.evaluate(() => getSelection().focusNode?.textContent), "the end");
  await page.keyboard.press("Control+c");
  await noted(page, /^Copied: /);
  const rowsOf = Array.from({ length: 40_000 }, (_, i) => `row ${i + 1} of many`);
  assert.equal(await clipboard(page), [...rowsOf, "the end"].join("\n"));

  // the whole log, with the marks that are shown by their names
  await view(page).press("Control+a");
  await page.keyboard.press("Control+c");
  // the word about the copy before is the same
  let whole = "";
  for (const until = Date.now() + 30_000; !whole.startsWith("user") && Date.now() < until; ) {
    whole = await clipboard(page);
    await page.waitForTimeout(50);
  }
  assert.equal(whole.split("\n")[0], "user \u202egnp.exe \u2066x\u2069");
  assert.equal(whole.split("\n").length, 40_002);

  // what is on the page is copied from there, and what was selected stays so while rows come and go
  await view(page).press("g");
  await row(page, "gnp.exe").waitFor();
  const first = await page.locator("log-view .row .text").first().boundingBox();
  await page.mouse.click(first.x + 1, first.y + 5);
  await page.waitForFunction(() => getSelection().isCollapsed);
  await page.mouse.down();
  await page.mouse.move(first.x + 200, first.y + 9 * 18 + 5, { steps: 5 });
  await page.mouse.up();
  await view(page).hover();
  for (let turns = 0; turns < 12; turns++) await page.mouse.wheel(0, 1500);
  await page.waitForFunction(() => !document.querySelector(".log-rows").textContent.includes("gnp.exe"));
  await page.keyboard.press("Control+c");
  const some = (await clipboard(page)).split("\n");
  assert.deepEqual([some[0], some.length, some[8]], ["user \u202egnp.exe \u2066x\u2069", 10, "row 8 of many"]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("too_much_to_copy_is_said_and_a_log_that_grows_stands_still_while_somebody_selects", async () => {
  const large = await desk.printed("seq -f 'line %.0f of a log that nobody pastes anywhere' 1 600000");
  const { page, context, complaints } = await signedIn(browser);
  await open(page, large);
  await row(page, "line 600000").waitFor();
  await view(page).press("Control+a");
  await page.keyboard.press("Control+c");
  await noted(page, /are too much to copy; up to 16.8 MB can be copied/);
  const name = await desk.printing("for i in $(seq 1 100000); do echo line $i; sleep 0.02; done");
  await open(page, name);
  await row(page, "line 60").waitFor();
  await row(page, "line 60")
    .locator(".text")
    .dblclick({ position: { x: 8, y: 8 } });
  await page.locator("log-view .log-newer", { hasText: /New lines: \d{2}/ }).waitFor();
  assert.equal(await page.evaluate(() => getSelection().toString().trim().length > 0), true);
  assert.deepEqual(complaints, []);
  await context.close();
  await desk.stop(name);
});

test("the_line_that_explains_the_end_is_marked_and_a_key_or_a_tap_leads_to_it", async () => {
  const name = await desk.submit(
    "seq -f 'step %.0f' 1 3000\necho \"ModuleNotFoundError: No module named 'torchvision'\"\nseq -f 'cleaning up %.0f' 1 40\nexit 1",
  );
  await desk.until(name, "FAILED");
  const { page, context, complaints } = await signedIn(browser, { viewport: PHONE });
  await open(page, name);
  await row(page, "cleaning up 40").waitFor();
  await view(page).press("c");
  const mark = page.locator("log-view .row.cause");
  await mark.waitFor();
  assert.match(await mark.innerText(), /ModuleNotFoundError/);
  await view(page).press("G");
  await row(page, "cleaning up 40").waitFor();
  await page.getByRole("button", { name: "Show the cause" }).click();
  await page.locator("log-view .row.cause.target").waitFor();
  assert.match(await status(page).innerText(), /^Ended with exit code 1 at byte/);
  await picture(page, "log-cause-phone");
  assert.deepEqual(complaints, []);
  await context.close();
});
