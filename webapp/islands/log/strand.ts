import type { Place } from "./feed";
import type { Line } from "./line";
import { lowest } from "./lowest";
import { Reader } from "./reader";
import { Refusal } from "./refusal";
import type { Source } from "./source";
import { Times } from "./times";

const BEHIND = 0.25;

/** Where a row stands among the others of its log; a mark for what may be missing stands before the byte it is at. */
const position = (line: Line) => line.from - (line.hole && line.hole.from === line.hole.to ? 0.5 : 0);

/** Nothing is there now, but not because there was nothing. */
export const UNREACHED = "unreached";
export type Head = Line | typeof UNREACHED | undefined;

/** One of several merged logs. Its rows from `#top` to `#bottom` are among the merged ones. */
export class Strand {
  readonly reader: Reader;
  readonly #times: Times;
  #lines: Reader["lines"];
  #top = 0;
  #bottom = 0;

  constructor(source: Source, changed: () => void, timed: () => void) {
    this.#times = new Times(source, timed);
    this.#times.wanted = true;
    this.reader = new Reader(source, this.#times, changed);
    this.#lines = this.reader.lines;
  }

  /** It has rows, or never will have. */
  get ready(): boolean {
    const { greeted, size, end, refusal, lines } = this.reader;
    return lines.list.length > 0 || end !== undefined || refusal !== undefined || (greeted && size === 0);
  }

  /** The reader began elsewhere without being asked to: bytes were skipped. */
  get torn(): boolean {
    return this.reader.lines !== this.#lines;
  }

  timeOf(line: Line): number {
    return this.known(line) ?? Date.now();
  }

  /** When a row was printed, as far as anybody knows. */
  known(line: Line): number | undefined {
    return line.at ?? line.hole?.at ?? this.#times.at(line.from);
  }

  /** None of its rows are among the merged ones, and all would come above. */
  async splitAtEnd(): Promise<void> {
    await this.#look();
    this.#split(undefined);
  }

  /** Brings the reader to where this was printed, or to a place in it; what is before would come above, all else below. */
  async go(at: number, place: Pick<Place, "offset"> | undefined): Promise<void> {
    this.reader.following = false;
    try {
      const line = await (place ? this.reader.jump(place) : this.reader.jumpToTime(at));
      await this.#look();
      this.#split(place ? line : this.#firstAt(at));
    } catch (fault) {
      // one that has no log yet, or none any more, keeps nobody from the others
      if (!(fault instanceof Refusal)) throw fault;
      this.reader.refused(fault);
      this.#split(undefined);
    }
  }

  /** The next row above or below those that are merged; undefined if there is none. */
  async next(above: boolean): Promise<Head> {
    for (;;) {
      const line = above ? this.#above() : this.#below();
      if (line) return line;
      if (above ? this.reader.stretch.from === 0 : this.reader.attached) return undefined;
      if (this.#absent) return undefined;
      if (!(await (above ? this.reader.earlier() : this.reader.later()))) return this.#absent ? undefined : UNREACHED;
      await this.#look();
    }
  }

  /** It has no log, or none any more: the others go on without it. */
  get #absent(): boolean {
    const { refusal, greeted } = this.reader;
    return refusal !== undefined && (!greeted || !refusal.passing);
  }

  took(line: Line, above: boolean): void {
    if (above) this.#top = position(line);
    else this.#bottom = position(line) + BEHIND;
  }

  /** A row is no longer among the merged ones, nor are those above it (or below it). */
  forgot(line: Line, above: boolean): void {
    if (above) this.#top = Math.min(position(line) + BEHIND, this.#bottom);
    else this.#bottom = Math.max(position(line), this.#top);
  }

  /** Rows that have come, in order. */
  arrived(): Line[] {
    const rows = this.#lines.list.slice(this.#indexOf(this.#bottom));
    const last = rows.at(-1);
    if (last) this.took(last, false);
    return rows;
  }

  mend(): void {
    this.#lines = this.reader.lines;
  }

  /** Takes up what the reader has by now, with its times. */
  async #look(): Promise<void> {
    this.#lines = this.reader.lines;
    const { list } = this.#lines;
    const [first, last] = [list[0], list.at(-1)];
    if (first && last) await this.#times.ensure(first.from, Math.max(last.to, first.from + 1));
  }

  #split(line: Line | undefined): void {
    const last = this.#lines.list.at(-1);
    const behind = last ? position(last) + BEHIND : this.reader.stretch.from - 1;
    this.#top = this.#bottom = line ? position(line) : behind;
  }

  #above(): Line | undefined {
    return this.#lines.list[this.#indexOf(this.#top) - 1];
  }

  #below(): Line | undefined {
    if (this.reader.attached) this.reader.work(Number.POSITIVE_INFINITY);
    return this.#lines.list[this.#indexOf(this.#bottom)];
  }

  /** Of the first row at or behind a position. */
  #indexOf(wanted: number): number {
    return lowest(this.#lines.list, (line) => position(line) >= wanted);
  }

  #firstAt(at: number): Line | undefined {
    const { list } = this.#lines;
    return list[lowest(list, (line) => this.timeOf(line) >= at)];
  }
}

/** Of the next rows of all strands, the one whose turn it is: the newest going up, the oldest going down. */
export function nextOf(strands: readonly Strand[], heads: readonly Head[], above: boolean): number {
  let best = -1;
  let when = 0;
  for (const [i, strand] of strands.entries()) {
    const head = heads[i];
    if (!head || head === UNREACHED) continue;
    const at = strand.timeOf(head);
    if (best >= 0 && (above ? at < when : at >= when)) continue;
    best = i;
    when = at;
  }
  return best;
}
