import { type Hole, Line } from "./line";
import { Lines } from "./lines";
import type { Source } from "./source";
import { Terminal } from "./terminal";

/** Rows in memory; beyond twice as many the far end goes. */
const KEPT = 6_000;
const SLICE = 1 << 10;
const COUNT_AGAIN = 3_000;
const LF = 10;
/** What begins something, whether that is behind it, and how far it is looked for. */
const BEGINNINGS: [number, 0 | 1, number][] = [
  [LF, 1, Number.POSITIVE_INFINITY],
  [13, 1, Number.POSITIVE_INFINITY],
  [27, 0, 64],
];

/** A stretch of the log as rows: bytes are added at its ends, and taken away at the end that nobody looks at. */
export class Stretch {
  readonly lines = new Lines();
  from: number;
  to: number;
  #terminal = new Terminal(this.lines);
  /** It begins in the middle of a line, as far as anybody knows. */
  #cut: boolean;
  readonly #target: number;
  #counting: AbortController | undefined;
  #countAgain = 0;

  /** `target`: what has to be among its rows. */
  constructor(from: number, cut: boolean, target = Number.POSITIVE_INFINITY) {
    this.from = this.to = from;
    this.#cut = cut;
    this.#target = target;
    if (from === 0) this.lines.anchor = 1;
  }

  get newlines(): number {
    return this.#terminal.newlines;
  }

  append(bytes: Uint8Array, offset: number): void {
    const cut = this.#cut && bytes.length > 0;
    const skip = cut ? beginOf(bytes.subarray(0, Math.max(1, this.#target - offset + 1))) : 0;
    if (cut) this.from = offset + skip;
    this.#terminal.write(bytes.subarray(skip), offset + skip);
    const first = this.lines.list[0];
    // its beginning is among the bytes before
    if (cut && first && bytes[skip - 1] !== LF) first.continued = true;
    if (cut) this.#cut = false;
    this.to = offset + bytes.length;
  }

  /** The same until there are so many rows more; tells how many bytes that took. */
  appendRows(bytes: Uint8Array, offset: number, rows: number): number {
    const enough = this.lines.dropped + this.lines.list.length + rows;
    let taken = 0;
    while (taken < bytes.length && this.lines.dropped + this.lines.list.length < enough) {
      const part = bytes.subarray(taken, taken + SLICE);
      this.append(part, offset + taken);
      taken += part.length;
    }
    return taken;
  }

  hole(hole: Hole): void {
    this.#terminal.interrupt();
    this.lines.add(Line.missing(hole));
    this.to = Math.max(this.to, hole.to);
  }

  /** Puts bytes before it; unless they begin the log or follow a hole, their first line is cut and left out. */
  prepend(bytes: Uint8Array, whole: boolean): void {
    const skip = whole ? 0 : bytes.indexOf(LF) + 1;
    const kept = skip < bytes.length ? bytes.subarray(skip) : bytes;
    const before = new Lines();
    const terminal = new Terminal(before);
    const from = this.from - kept.length;
    terminal.write(kept, from);
    // of very short lines there are so many that those that are looked at would have to go
    const left = before.trimStart(KEPT);
    const first = this.lines.list[0]?.number ?? 0;
    for (const line of before.list) line.number += first - terminal.newlines;
    this.lines.prepend(before.list);
    this.from = left.length > 0 ? before.from : from;
  }

  prependHole(hole: Hole): void {
    const line = Line.missing(hole);
    line.number = this.lines.list[0]?.number ?? 0;
    this.lines.prepend([line]);
    this.from = hole.from;
  }

  forgetBeginning(): void {
    if (this.lines.list.length <= 2 * KEPT) return;
    this.lines.trimStart(KEPT);
    this.from = this.lines.from;
  }

  /** Takes rows from its end; tells whether it did. */
  forgetEnd(): boolean {
    const next = this.lines.list[2 * KEPT];
    if (!next) return false;
    this.lines.trimEnd(2 * KEPT);
    this.to = next.from;
    this.#terminal = new Terminal(this.lines, { newlines: next.number });
    return true;
  }

  shows({ from, to }: Hole): boolean {
    return this.lines.list.some(({ hole }) => hole?.from === from && hole.to === to);
  }

  /** The hole that is its first row or its last, which are not to be shown again. */
  get shown(): { first: Hole | undefined; last: Hole | undefined } {
    const { list } = this.lines;
    return { first: list[0]?.hole, last: list.at(-1)?.hole };
  }

  get full(): boolean {
    return this.lines.list.length > 2 * KEPT;
  }

  /** Asks for the number of its first line, which may take the gateway a while the first time. */
  async count(source: Source): Promise<boolean> {
    const first = this.lines.list[0];
    if (!first || this.lines.anchor !== undefined || this.#counting || performance.now() < this.#countAgain)
      return false;
    const mine = new AbortController();
    this.#counting = mine;
    const number = await source.lineAt(first.from, mine.signal).catch(() => undefined);
    this.#counting = undefined;
    this.#countAgain = performance.now() + COUNT_AGAIN;
    if (number === undefined || mine.signal.aborted) return false;
    this.lines.anchor = number - first.number;
    this.lines.epoch++;
    return true;
  }

  close(): void {
    this.#counting?.abort();
  }
}

/** Where rows can begin in bytes out of the middle: behind a newline, else where a bar was drawn anew, a colour begins, or a character. */
function beginOf(bytes: Uint8Array): number {
  for (const [code, behind, near] of BEGINNINGS) {
    const at = bytes.subarray(0, near).indexOf(code);
    if (at >= 0 && at + behind < bytes.length) return at + behind;
  }
  return Math.max(
    0,
    bytes.findIndex((byte) => (byte & 0xc0) !== 0x80),
  );
}
