import assert from "node:assert/strict";
import { test } from "node:test";
import { Holes } from "../islands/log/holes.ts";
import { Line } from "../islands/log/line.ts";
import { Lines } from "../islands/log/lines.ts";
import { found } from "../islands/log/marks.ts";
import { Ring } from "../islands/log/ring.ts";
import { css, TRUE } from "../islands/log/style.ts";
import { Times } from "../islands/log/times.ts";

const line = (from) => new Line(from);

test("a_row_is_found_by_any_of_its_bytes", () => {
  const lines = new Lines();
  for (const from of [0, 10, 20, 35]) lines.add(line(from));
  assert.deepEqual(
    [0, 9, 10, 34, 35, 1000].map((offset) => lines.indexAt(offset)),
    [0, 0, 1, 2, 3, 3],
  );
});

test("places_in_the_list_survive_what_goes_and_comes_before_them", () => {
  const lines = new Lines();
  for (const from of [0, 10, 20, 35]) lines.add(line(from));
  lines.trimStart(2);
  assert.deepEqual([lines.from, lines.dropped], [20, 2]);
  lines.prepend([line(10)]);
  assert.deepEqual([lines.from, lines.dropped], [10, 1]);
});

test("the_ring_keeps_the_newest_bytes_without_a_hole", () => {
  const ring = new Ring();
  ring.restart(100);
  for (let i = 0; i < 40; i++) ring.push({ offset: 100 + i * 65_536, bytes: new Uint8Array(65_536).fill(i) });
  assert.ok(ring.to - ring.from <= 1 << 20);
  assert.equal(ring.to, 100 + 40 * 65_536);
  assert.ok(!ring.holds(100) && ring.holds(ring.to));
  const [first, ...more] = ring.after(ring.to - 65_537);
  assert.deepEqual([first.offset, first.bytes.length, more.length], [ring.to - 65_537, 1, 1]);
  ring.push({ offset: ring.to + 5, bytes: new Uint8Array(1) });
  assert.equal(ring.to - ring.from, 1, "what does not follow begins anew");
});

test("a_time_is_the_first_at_which_the_byte_was_there", async () => {
  const asked = [];
  const source = {
    times: async (from, to) => {
      asked.push([from, to]);
      return [
        [10, 1000],
        [20, 2000],
      ];
    },
  };
  const times = new Times(source, () => {});
  times.wanted = true;
  await times.ensure(0, 20);
  times.push(50, 5000);
  assert.deepEqual(
    [0, 9, 10, 19, 20, 49, 50].map((offset) => times.at(offset)),
    [1000, 1000, 2000, 2000, 5000, 5000, undefined],
  );
  await times.ensure(5, 15);
  assert.equal(asked.length, 1, "known already");
});

test("what_was_found_is_cut_out_by_bytes", () => {
  assert.equal(found({ text: "日本 loss=1", start: 100, offset: 107, length: 4 }), "loss");
  assert.equal(found({ text: "a \u001b[31mred\u001b[0m b", start: 0, offset: 2, length: 12 }), "red");
});

test("colours_of_the_palette_are_xterm_s", () => {
  assert.equal(css(16), "rgb(0 0 0)");
  assert.equal(css(231), "rgb(255 255 255)");
  assert.equal(css(208), "rgb(255 135 0)");
  assert.equal(css(232), "rgb(8 8 8)");
  assert.equal(css(TRUE | 0x0102ff), "rgb(1 2 255)");
});

test("a_place_where_something_may_be_missing_is_shown_once_when_its_bytes_come", () => {
  const holes = new Holes();
  const full = { from: 100, to: 100, reason: "disk_full" };
  holes.add(full, { from: 20, to: 40, reason: "size_limit" }, { ...full });
  assert.equal(holes.all.length, 2);
  assert.equal(holes.mark(40, 100, undefined), undefined);
  assert.equal(holes.mark(10, 60, undefined), undefined);
  assert.deepEqual(holes.mark(100, 200, undefined), full);
  assert.deepEqual(holes.mark(40, 101, undefined), full);
  assert.equal(holes.mark(100, 200, { ...full }), undefined);
});
