import type { Feed } from "./feed";
import type { Hole, Line } from "./line";
import type { Lines } from "./lines";
import { type Piece, Ring } from "./ring";
import { Refusal, type Source } from "./source";
import { type Hello, type Listener, Stream, type Way } from "./stream";
import { Stretch } from "./stretch";
import type { Times } from "./times";

const CHUNK = 128 << 10;
const AROUND = 64 << 10;
const SLICE = 8 << 10;
const LF = 10;

/**
 * The rows of one log around a place: at its end, where they grow, or anywhere else, where the new bytes are only counted. What is not in
 * memory is fetched when somebody goes there.
 */
export class Reader implements Listener, Feed {
  stretch = new Stretch(0, false);
  size = 0;
  /** Newlines that have come since nobody follows. */
  missed = 0;
  skippedBytes = 0;
  /** While set, only the newest rows matter. */
  following = true;
  /** Its rows reach to the newest byte. */
  attached = true;
  end: { size: number; exitCode: number | null } | undefined;
  status: Way = "connecting";
  refusal: Refusal | undefined;
  greeted = false;
  #queue: Piece[] = [];
  #busy: AbortController | undefined;
  readonly #ring = new Ring();
  readonly #stream: Stream;
  readonly source: Source;
  readonly times: Times;
  readonly #changed: () => void;

  constructor(source: Source, times: Times, changed: () => void) {
    this.source = source;
    this.times = times;
    this.#changed = changed;
    this.#stream = new Stream(source, this);
  }

  get lines(): Lines {
    return this.stretch.lines;
  }

  open(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
    this.#busy?.abort();
    this.stretch.close();
  }

  hello(hello: Hello): void {
    const first = !this.greeted;
    this.greeted = true;
    this.size = hello.size;
    this.refusal = undefined;
    this.source.missing(...hello.gaps);
    if (first || hello.offset !== this.#ring.to) {
      this.#ring.restart(hello.offset);
      if (this.attached) this.#begin(hello.offset, hello.offset > 0);
    }
    this.#changed();
  }

  bytes(offset: number, bytes: Uint8Array): void {
    const piece = { offset, bytes };
    this.#ring.push(piece);
    this.size = Math.max(this.size, this.#ring.to);
    if (this.attached) this.#queue.push(piece);
    else if (this.#ring.holds(this.stretch.to) && !this.stretch.full) this.#attachIfNear();
    else this.#pass(piece);
    this.#changed();
  }

  gap(hole: Hole): void {
    this.source.missing(hole);
    this.#ring.restart(hole.to);
    this.size = Math.max(this.size, hole.to);
    if (this.attached) {
      this.work(Number.POSITIVE_INFINITY);
      this.stretch.hole(hole);
    }
    this.#changed();
  }

  skipped(from: number, to: number): void {
    this.skippedBytes += to - from;
    this.#ring.restart(to);
    this.size = Math.max(this.size, to);
    this.#queue = [];
    if (this.attached) this.#begin(to, false);
    this.#changed();
  }

  time(offset: number, at: number): void {
    this.times.push(offset, at);
  }

  ended(size: number, exitCode: number | null): void {
    this.end = { size, exitCode };
    this.size = size;
    this.#changed();
  }

  way(way: Way): void {
    this.status = way;
    this.#changed();
  }

  refused(refusal: Refusal): void {
    this.refusal = refusal;
    this.#changed();
  }

  /** Makes rows of what has come, for so many milliseconds; tells whether there is more. */
  work(budget: number): boolean {
    const until = performance.now() + budget;
    while (this.#queue.length > 0 && performance.now() < until) {
      const piece = this.#queue[0] as Piece;
      const part = piece.bytes.subarray(0, SLICE);
      if (part.length === piece.bytes.length) this.#queue.shift();
      else this.#queue[0] = { offset: piece.offset + part.length, bytes: piece.bytes.subarray(part.length) };
      const before = this.stretch.newlines;
      this.stretch.append(part, piece.offset);
      this.#stream.read(piece.offset + part.length);
      if (!this.following) this.missed += this.stretch.newlines - before;
    }
    if (this.following) this.stretch.forgetBeginning();
    else if (this.attached && this.stretch.full) this.#detach();
    this.#count();
    return this.#queue.length > 0;
  }

  /** Fetches what lies before the rows in memory. */
  async earlier(): Promise<boolean> {
    const { stretch } = this;
    if (stretch.from === 0 || this.#busy) return false;
    const hole = this.source.gaps.findLast((gap) => gap.from < stretch.from && gap.from < gap.to);
    if (hole && hole.to >= stretch.from) {
      stretch.prependHole(hole);
      return true;
    }
    const floor = hole?.to ?? 0;
    const from = Math.max(floor, stretch.from - CHUNK);
    return this.#fetch(from, stretch.from, (bytes) => {
      if (this.stretch !== stretch) return;
      stretch.prepend(bytes, from === floor);
      if (stretch.forgetEnd()) this.#detach();
    });
  }

  /** Fetches what lies behind them. */
  async later(): Promise<boolean> {
    const { stretch } = this;
    if (this.attached || this.#busy) return false;
    const hole = this.source.gaps.find((gap) => gap.from >= stretch.to && gap.from < gap.to);
    if (hole?.from === stretch.to) {
      stretch.hole(hole);
      this.#attachIfNear();
      return true;
    }
    const to = Math.min(stretch.to + CHUNK, hole?.from ?? this.#ring.to, this.#ring.to);
    return this.#fetch(stretch.to, to, (bytes) => {
      if (this.stretch !== stretch) return;
      stretch.append(bytes, stretch.to);
      stretch.forgetBeginning();
      this.#attachIfNear();
    });
  }

  /** Goes to a place, and tells the row that is there; undefined if something else came first. */
  async jump(offset: number): Promise<Line | undefined> {
    const at = () => this.stretch.lines.list[this.stretch.lines.indexAt(offset)];
    if (this.stretch.lines.list.length > 0 && offset >= this.stretch.from && offset < this.stretch.to) return at();
    this.#busy?.abort();
    this.#busy = undefined;
    if (!this.greeted && !(await this.#look())) return undefined;
    const gaps = this.source.gaps.filter((gap) => gap.from < gap.to);
    const inside = gaps.find((gap) => gap.from <= offset && offset < gap.to);
    const target = Math.max(0, Math.min(inside?.to ?? offset, this.size - 1));
    const floor = gaps.findLast((gap) => gap.to <= target)?.to ?? 0;
    const ceiling = gaps.find((gap) => gap.from > target)?.from ?? this.size;
    const from = Math.max(floor, target - AROUND);
    const done = await this.#fetch(from, Math.min(ceiling, target + AROUND), (bytes) => {
      this.#queue = [];
      this.attached = false;
      this.#begin(from, from > floor);
      this.stretch.append(bytes, from);
      this.#attachIfNear();
    });
    return done ? at() : undefined;
  }

  /** Goes to the end, from memory. */
  toEnd(): void {
    this.missed = 0;
    if (this.attached) return;
    this.#busy?.abort();
    this.#busy = undefined;
    this.attached = true;
    const from = Math.max(this.#ring.from, this.#ring.to - AROUND);
    this.#begin(from, from > 0);
    this.#queue = this.#ring.after(from);
    this.work(Number.POSITIVE_INFINITY);
    this.#changed();
  }

  /** Its size, where the stream has not told it yet. */
  async #look(): Promise<boolean> {
    this.attached = false;
    try {
      this.size = (await this.source.look()).size;
      return true;
    } catch (fault) {
      if (fault instanceof Refusal) this.refused(fault);
      return false;
    }
  }

  async #fetch(from: number, to: number, use: (bytes: Uint8Array) => void): Promise<boolean> {
    const mine = new AbortController();
    this.#busy = mine;
    try {
      const { bytes } = await this.source.range(from, to, mine.signal);
      use(bytes);
      this.#count();
      return true;
    } catch (fault) {
      if (!mine.signal.aborted && fault instanceof Refusal) this.refusal = fault;
      return false;
    } finally {
      if (this.#busy === mine) this.#busy = undefined;
      this.#changed();
    }
  }

  #begin(offset: number, dropFirst: boolean): void {
    this.stretch.close();
    this.stretch = new Stretch(offset, dropFirst);
  }

  async #count(): Promise<void> {
    if (this.stretch.lines.anchor === undefined && (await this.stretch.count(this.source))) this.#changed();
  }

  #detach(): void {
    this.attached = false;
    for (const piece of this.#queue) this.#pass(piece);
    this.#queue = [];
  }

  #attachIfNear(): void {
    if (!this.#ring.holds(this.stretch.to)) return;
    this.attached = true;
    this.#queue = this.#ring.after(this.stretch.to);
  }

  /** Counts what nobody will look at now. */
  #pass({ offset, bytes }: Piece): void {
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) this.missed++;
    this.#stream.read(offset + bytes.length);
  }
}
