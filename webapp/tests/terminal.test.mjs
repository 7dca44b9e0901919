import assert from "node:assert/strict";
import { test } from "node:test";
import { Lines } from "../islands/log/lines.ts";
import { BOLD, INVERSE, PLAIN, TRUE } from "../islands/log/style.ts";
import { Terminal } from "../islands/log/terminal.ts";

const encoder = new TextEncoder();
const bytes = (text) => (typeof text === "string" ? encoder.encode(text) : Uint8Array.from(text));

function read(input, { cut = Number.POSITIVE_INFINITY, flat = false } = {}) {
  const all = bytes(input);
  const lines = new Lines();
  const terminal = new Terminal(lines, { flat });
  for (let at = 0; at < all.length; at += cut) terminal.write(all.subarray(at, at + cut), at);
  return { lines, terminal, texts: lines.list.map((line) => line.text) };
}

/** However the bytes are cut into frames, the rows are the same. */
function rows(input, options) {
  const { texts } = read(input, options);
  for (const cut of [1, 2, 3, 7]) assert.deepEqual(read(input, { ...options, cut }).texts, texts, `cut at ${cut}`);
  return texts;
}

const styleOf = (input, row = 0) => read(input).lines.list[row].runs.at(-1)?.style ?? PLAIN;

test("lines_end_with_newline_or_carriage_return_and_newline", () => {
  assert.deepEqual(rows("one\ntwo\r\n\nfour"), ["one", "two", "", "four"]);
});

test("every_row_knows_where_its_bytes_lie", () => {
  for (const cut of [1, 4, 100]) {
    const { lines } = read("one\ntwö\r\n\nfour", { cut });
    assert.deepEqual(
      lines.list.map(({ from, to, number, open }) => [from, to, number, open]),
      [
        [0, 4, 0, false],
        [4, 10, 1, false],
        [10, 11, 2, false],
        [11, 15, 3, true],
      ],
    );
  }
});

test("a_character_may_be_cut_anywhere", () => {
  assert.deepEqual(rows("日本語 🚀 é\nnext\n"), ["日本語 🚀 é", "next"]);
});

test("bytes_that_are_no_utf_8_are_shown_as_such_and_take_nothing_with_them", () => {
  assert.deepEqual(rows([0x61, 0xff, 0xfe, 0x62, 10, 0xe6, 0x97, 10, 0x63]), ["a\ufffd\ufffdb", "\ufffd", "c"]);
});

test("nul_and_other_controls_are_swallowed", () => {
  assert.deepEqual(rows("a\0b\x07c\x0bd\x7fe\n"), ["abcde"]);
});

test("a_progress_bar_is_one_row_that_counts_what_it_was", () => {
  const { lines, texts } = read("start\n\r10%\r20%\r100%\nend\n");
  assert.deepEqual(texts, ["start", "100%", "end"]);
  assert.equal(lines.list[1].rewrites, 2);
  assert.deepEqual([lines.list[1].from, lines.list[1].to], [7, 20]);
  rows("start\n\r10%\r20%\r100%\nend\n");
});

test("a_shorter_state_leaves_the_rest_as_a_terminal_does_unless_it_is_erased", () => {
  assert.deepEqual(rows("loading...\rdone\n"), ["doneing..."]);
  assert.deepEqual(rows("loading...\r\x1b[Kdone\n"), ["done"]);
  assert.deepEqual(rows("loading...\x1b[2K\rdone\n"), ["done"]);
});

test("output_with_carriage_returns_only_is_one_row", () => {
  const { lines, texts } = read(Array.from({ length: 1000 }, (_, i) => `step ${i}`).join("\r"));
  assert.deepEqual(texts, ["step 999"]);
  assert.equal(lines.list[0].rewrites, 999);
});

test("several_bars_are_a_row_each", () => {
  const bars = "a 0\nb 0\n\x1b[2A\ra 1\n\rb 1\n\x1b[2A\ra 2\n\rb 2\ndone\n";
  const { lines, texts } = read(bars);
  assert.deepEqual(texts, ["a 2", "b 2", "done"]);
  assert.deepEqual(
    lines.list.map(({ rewrites }) => rewrites),
    [2, 2, 0],
  );
  rows(bars);
});

test("tqdm_with_positions_keeps_its_rows", () => {
  const output = "\r0: 10%\n\r1: 10%\x1b[A\r0: 20%\n\r1: 20%\x1b[A\n\n";
  assert.deepEqual(rows(output), ["0: 20%", "1: 20%"]);
});

test("erasing_below_takes_rows_back", () => {
  assert.deepEqual(rows("one\ntwo\nthree\n\x1b[3A\x1b[Jagain\n"), ["again"]);
});

test("climbing_never_leaves_what_is_there", () => {
  assert.deepEqual(rows("one\n\x1b[99Atop\n"), ["top"]);
  assert.deepEqual(rows("\x1b[9999999999Ax\n"), ["x"]);
});

test("clearing_the_screen_takes_nothing_away", () => {
  assert.deepEqual(rows("before\n\x1b[H\x1b[2Jafter\n"), ["before", "after"]);
});

test("history_tells_every_state_of_a_bar", () => {
  assert.deepEqual(rows("\r10%\r20%\r\x1b[K30%\n", { flat: true }), ["10%", "20%", "30%"]);
  assert.deepEqual(rows("a 0\nb 0\n\x1b[2A\ra 1\n\rb 1\n", { flat: true }), ["a 0", "b 0", "a 1", "b 1"]);
});

test("wide_and_combining_characters_take_their_columns", () => {
  assert.deepEqual(rows("日本\r\x1b[2Cx\n"), ["日x"]);
  assert.deepEqual(rows("e\u0301a\rx\n"), ["xa"]);
});

test("colours_are_read_in_every_spelling", () => {
  assert.equal(styleOf("\x1b[31mx").fg, 1);
  assert.equal(styleOf("\x1b[1;97mx").fg, 15);
  assert.equal(styleOf("\x1b[1;97mx").flags, BOLD);
  assert.equal(styleOf("\x1b[38;5;208mx").fg, 208);
  assert.equal(styleOf("\x1b[48;2;1;2;3mx").bg, TRUE | 0x010203);
  assert.equal(styleOf("\x1b[38:2::255:0:16mx").fg, TRUE | 0xff0010);
  assert.equal(styleOf("\x1b[7;1mx\x1b[22my").flags, INVERSE);
  assert.deepEqual(styleOf("\x1b[31;1mx\x1b[my"), PLAIN);
  assert.equal(styleOf("\x1b[38;5;999mx").fg, -1);
});

test("a_colour_lasts_over_lines_until_it_is_taken_back", () => {
  assert.equal(styleOf("\x1b[32mone\ntwo\n", 1).fg, 2);
  assert.deepEqual(styleOf("\x1b[32mone\n\x1b[0mtwo\n", 1), PLAIN);
});

test("links_go_to_harmless_places_only", () => {
  const link = (address) => styleOf(`\x1b]8;;${address}\x1b\\here`).link;
  assert.equal(link("https://lab.example/a?b=c;d"), "https://lab.example/a?b=c;d");
  assert.equal(link("mailto:li.wei@lab.example"), "mailto:li.wei@lab.example");
  for (const bad of [
    "javascript:alert(1)",
    "JaVaScript:x",
    "data:text/html,x",
    "file:///etc/passwd",
    "//evil",
    "https://",
    " https://x",
  ])
    assert.equal(link(bad), "", bad);
  assert.equal(link(`https://x/${"a".repeat(3000)}`), "");
  assert.equal(styleOf("\x1b]8;;https://x\x07a\x1b]8;;\x07b").link, "");
  assert.deepEqual(rows("\x1b]8;;https://x\x07text\x1b]8;;\x07\n"), ["text"]);
});

test("clipboard_title_queries_and_private_strings_are_swallowed", () => {
  const hostile =
    "a\x1b]52;c;cm0gLXJm\x07b\x1b]0;title\x1b\\c\x1b[6n\x1b[c\x1b[?1049h\x1bPq#0\x1b\\d\x1b_x\x1b\\e\x1b(0f\x1b7g\x1b[>c\n";
  assert.deepEqual(rows(hostile), ["abcdefg"]);
});

test("a_sequence_that_never_ends_swallows_no_more_than_its_line", () => {
  assert.deepEqual(rows("a\x1b]52;c;AAAA\nb\n"), ["a", "b"]);
  assert.deepEqual(rows("a\x1b[1;2\nb\n"), ["a", "b"]);
  assert.deepEqual(rows(`a\x1b]0;${"x".repeat(5000)}`).length, 1);
});

test("markup_is_text", () => {
  assert.deepEqual(rows("<img src=x onerror=alert(1)>&amp;\n"), ["<img src=x onerror=alert(1)>&amp;"]);
});

test("a_line_without_end_goes_on_in_rows_that_say_so", () => {
  const { lines, texts } = read("x".repeat(10_000));
  assert.equal(texts.join("").length, 10_000);
  assert.ok(texts.every((text) => text.length <= 4096));
  assert.deepEqual(
    lines.list.map(({ continued }) => continued),
    [false, ...Array(lines.list.length - 1).fill(true)],
  );
  assert.ok(lines.list.every(({ number }) => number === 0));
});

test("lines_at_the_edges_of_buffers_are_whole", () => {
  for (const length of [0, 1, 2047, 2048, 2049, 4095, 4096, 4097, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537]) {
    const { lines, texts } = read(`${"y".repeat(length)}\nend\n`, { cut: 65_528 });
    assert.equal(texts.slice(0, -1).join("").length, length);
    assert.equal(texts.at(-1), "end");
    assert.equal(lines.list.at(-1).number, 1);
    assert.equal(lines.list.at(-1).from, length + 1);
  }
});

test("a_million_sequences_and_a_hundred_megabytes_without_a_newline_are_read_in_time", () => {
  const begun = performance.now();
  const lines = new Lines();
  const terminal = new Terminal(lines);
  const colours = bytes("\x1b[38;5;1mx\x1b[0m\x1b[2K".repeat(1000));
  for (let i = 0; i < 333; i++) terminal.write(colours, i * colours.length);
  const long = new Uint8Array(1 << 20).fill(0x61);
  for (let i = 0; i < 100; i++) {
    terminal.write(long, i << 20);
    lines.trimStart(1000);
  }
  assert.ok(lines.list.length <= 2000);
  assert.ok(performance.now() - begun < 30_000, `${performance.now() - begun} ms`);
});

test("a_gap_ends_what_was_in_the_middle", () => {
  const lines = new Lines();
  const terminal = new Terminal(lines);
  terminal.write(bytes("half \x1b[3"), 0);
  terminal.interrupt();
  terminal.write(bytes("1mnext\n"), 100);
  assert.deepEqual(
    lines.list.map((line) => line.text),
    ["half ", "1mnext"],
  );
});
