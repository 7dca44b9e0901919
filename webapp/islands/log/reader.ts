import type { Feed, Place } from "./feed";
import type { Hole, Line } from "./line";
import type { Lines } from "./lines";
import { News } from "./news";
import { Refusal } from "./refusal";
import type { Piece } from "./ring";
import { Stretch } from "./stretch";

const CHUNK = 128 << 10;
const AROUND = 64 << 10;
const SLICE = 8 << 10;
const ROWS = 3_000;
const LF = 10;
const GONE = 410;

/**
 * The rows of one log around a place: at its end, where they grow, or anywhere else, where the new bytes are only counted. What is not in
 * memory is fetched when somebody goes there.
 */
export class Reader extends News implements Feed {
  stretch = new Stretch(0, false);
  missed = 0;
  readonly absent = [];
  following = true;
  attached = true;
  #queue: Piece[] = [];
  /** All before it was there when the log was opened, or has been shown or counted since. */
  #known = 0;
  /** Bytes will come that do not follow these rows, which stay until they do. */
  #next: { offset: number; cut: boolean } | undefined;
  #busy: AbortController | undefined;

  get lines(): Lines {
    return this.stretch.lines;
  }

  numberOf(line: Line): number | undefined {
    return this.lines.numberOf(line);
  }

  timeOf(line: Line): number | undefined {
    return line.hole?.at ?? this.times.at(line.from);
  }

  get timed(): boolean {
    return this.times.wanted;
  }

  set timed(wanted: boolean) {
    this.times.wanted = wanted;
  }

  close(): void {
    this.stream.close();
    this.#busy?.abort();
    this.stretch.close();
  }

  protected begun(offset: number, cut: boolean): void {
    this.#known = Math.max(this.#known, this.size);
    if (!this.attached) return;
    // whoever reads something stays with it, and comes past what was left out by scrolling on
    if (!this.following && this.lines.list.length > 0) this.#detach();
    else {
      this.#queue = [];
      this.#next = { offset, cut };
    }
  }

  protected came(piece: Piece): void {
    if (this.attached) this.#queue.push(piece);
    else if (this.ring.holds(this.stretch.to) && !this.stretch.full) this.#attachIfNear();
    else this.#pass(piece);
  }

  protected lost(hole: Hole): void {
    if (!this.attached) return;
    this.work(Number.POSITIVE_INFINITY);
    if (this.#next) this.#begin(this.#next.offset, this.#next.cut);
    if (!this.stretch.shows(hole)) this.stretch.hole(hole);
  }

  work(budget: number): boolean {
    const until = performance.now() + budget;
    if (this.#next && this.#queue.length > 0) this.#begin(this.#next.offset, this.#next.cut);
    while (this.#queue.length > 0 && performance.now() < until) {
      const piece = this.#queue[0] as Piece;
      const mark = this.source.holes.mark(piece.offset, piece.offset + SLICE, this.stretch.shown.last);
      if (mark?.from === piece.offset) {
        this.stretch.hole(mark);
        continue;
      }
      const fresh = piece.offset >= this.#known;
      const stop = Math.min(mark?.from ?? Number.POSITIVE_INFINITY, fresh ? Number.POSITIVE_INFINITY : this.#known);
      const part = piece.bytes.subarray(0, Math.min(SLICE, stop - piece.offset));
      if (part.length === piece.bytes.length) this.#queue.shift();
      else this.#queue[0] = { offset: piece.offset + part.length, bytes: piece.bytes.subarray(part.length) };
      const before = this.stretch.newlines;
      this.stretch.append(part, piece.offset);
      this.stream.read(piece.offset + part.length);
      if (!this.following && fresh) this.missed += this.stretch.newlines - before;
      this.#known = Math.max(this.#known, piece.offset + part.length);
    }
    if (this.following) this.stretch.forgetBeginning();
    else if (this.attached && this.stretch.full) this.#detach();
    this.#count();
    const { list } = this.lines;
    if (list[0]) this.times.ensure(list[0].from, list.at(-1)?.to ?? 0);
    return this.#queue.length > 0;
  }

  async earlier(): Promise<boolean> {
    const { stretch } = this;
    if (stretch.from === 0 || this.#busy) return false;
    const hole = this.source.holes.before(stretch.from, stretch.shown.first);
    if (hole && hole.to >= stretch.from) {
      stretch.prependHole(hole);
      this.changed();
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

  async later(): Promise<boolean> {
    const { stretch } = this;
    if (this.attached || this.#busy) return false;
    const hole = this.source.holes.after(stretch.to, stretch.shown.last);
    if (hole && hole.from <= stretch.to) {
      stretch.hole(hole);
      this.#attachIfNear();
      this.changed();
      return true;
    }
    const to = Math.min(stretch.to + CHUNK, hole?.from ?? this.ring.to, this.ring.to);
    return this.#fetch(stretch.to, to, (bytes) => {
      if (this.stretch !== stretch) return;
      stretch.appendRows(bytes, stretch.to, ROWS);
      stretch.forgetBeginning();
      this.#attachIfNear();
    });
  }

  async jump({ offset }: Pick<Place, "offset">): Promise<Line | undefined> {
    const at = () => this.stretch.lines.list[this.stretch.lines.indexAt(offset)];
    if (this.stretch.lines.list.length > 0 && offset >= this.stretch.from && offset < this.stretch.to) return at();
    this.#busy?.abort();
    this.#busy = undefined;
    if (!this.greeted) {
      this.attached = false;
      if (!(await this.look())) return undefined;
    }
    const { from, to, cut, inside } = this.source.holes.around(offset, AROUND, this.size);
    const done = await this.#fetch(from, to, (bytes) => {
      this.#queue = [];
      this.attached = false;
      this.#begin(from, cut, offset);
      this.stretch.append(bytes, from);
      if (inside && from === inside.to) this.stretch.prependHole(inside);
      this.#attachIfNear();
    });
    return done ? at() : undefined;
  }

  async jumpToTime(at: number): Promise<Line | undefined> {
    return this.jump({ offset: await this.source.offsetAt(at) });
  }

  /** From memory; what is on its way to somewhere else is wanted no more. */
  toEnd(): void {
    this.missed = 0;
    this.#busy?.abort();
    this.#busy = undefined;
    if (this.attached) return;
    this.attached = true;
    const from = Math.max(this.ring.from, this.ring.to - AROUND);
    this.#begin(from, from > 0);
    this.#queue = this.ring.after(from);
    this.work(Number.POSITIVE_INFINITY);
    this.changed();
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
      if (mine.signal.aborted || !(fault instanceof Refusal)) return false;
      // a piece of it may have gone since it was opened; whoever goes on scrolling comes past the hole
      if (fault.status === GONE) return this.look();
      this.refusal = fault;
      return false;
    } finally {
      if (this.#busy === mine) this.#busy = undefined;
      this.changed();
    }
  }

  #begin(offset: number, cut: boolean, target?: number): void {
    this.stretch.close();
    this.stretch = new Stretch(offset, cut, target);
    this.#next = undefined;
  }

  async #count(): Promise<void> {
    if (this.stretch.lines.anchor === undefined && (await this.stretch.count(this.source))) this.changed();
  }

  #detach(): void {
    this.attached = false;
    this.#next = undefined;
    for (const piece of this.#queue) this.#pass(piece);
    this.#queue = [];
  }

  #attachIfNear(): void {
    if (!this.ring.holds(this.stretch.to)) return;
    this.attached = true;
    this.#queue = this.ring.after(this.stretch.to);
  }

  /** Counts what nobody will look at now. */
  #pass({ offset, bytes }: Piece): void {
    for (let at = bytes.indexOf(LF, Math.max(0, this.#known - offset)); at >= 0; at = bytes.indexOf(LF, at + 1))
      this.missed++;
    this.#known = Math.max(this.#known, offset + bytes.length);
    this.stream.read(offset + bytes.length);
  }
}
