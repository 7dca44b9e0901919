import type { Feed } from "./feed";
import type { Line } from "./line";
import { Lines } from "./lines";
import { Reader } from "./reader";
import type { Refusal, Source } from "./source";
import type { Way } from "./stream";
import { Times } from "./times";

const MOST = 32;
const KEPT = 6_000;
const STEP = 400;
const WAITED = 1_500;

/** One of the merged logs: what of its rows has been handed over already, at either end. */
interface Strand {
  readonly reader: Reader;
  readonly times: Times;
  lines: Lines;
  /** Counted with those that are gone: rows from `first` to `next` are among the merged ones. */
  first: number;
  next: number;
}

/** Several logs as one: live rows in the order in which they come, older ones in the order of their times. */
export class Merged implements Feed {
  readonly lines = new Lines();
  missed = 0;
  following = true;
  readonly attached = true;
  readonly #strands: Strand[];
  readonly #opened = performance.now();
  #begun = false;
  #busy = false;
  readonly #changed: () => void;

  constructor(sources: Source[], changed: () => void) {
    this.#changed = changed;
    this.#strands = sources.slice(0, MOST).map((source) => {
      const times = new Times(source, changed);
      times.wanted = true;
      const reader = new Reader(source, times, changed);
      return { reader, times, lines: reader.lines, first: 0, next: 0 };
    });
  }

  get size(): number {
    return this.#sum(({ size }) => size);
  }

  get skippedBytes(): number {
    return this.#sum(({ skippedBytes }) => skippedBytes);
  }

  get greeted(): boolean {
    return this.#strands.some(({ reader }) => reader.greeted);
  }

  get refusal(): Refusal | undefined {
    const all = this.#strands.map(({ reader }) => reader.refusal);
    return all.every((refusal) => refusal) ? all[0] : undefined;
  }

  get end(): { size: number; exitCode: number | null } | undefined {
    const over = this.#strands.every(({ reader }) => reader.end || reader.refusal);
    return over && this.greeted ? { size: this.size, exitCode: null } : undefined;
  }

  get status(): Way {
    const ways = this.#strands.map(({ reader }) => (reader.end ? "socket" : reader.status));
    return ways.find((way) => way !== "socket") ?? "socket";
  }

  open(): void {
    for (const { reader } of this.#strands) reader.open();
  }

  close(): void {
    for (const { reader } of this.#strands) reader.close();
  }

  work(budget: number): boolean {
    let more = false;
    for (const { reader } of this.#strands) {
      reader.following = this.following;
      more = reader.work(budget / this.#strands.length) || more;
    }
    if (!this.#begun) this.#begin();
    else for (let i = 0; i < this.#strands.length; i++) this.#arrived(i);
    if (this.following) this.lines.trimStart(KEPT);
    return more;
  }

  /** The first rows of all are put in order by their times, once all are there or have been waited for long enough. */
  async #begin(): Promise<void> {
    const late = performance.now() - this.#opened > WAITED;
    const ready = this.#strands.every(({ reader }) => reader.end || reader.refusal || reader.lines.list.length > 0);
    if (this.#busy || (!ready && !late)) {
      if (!late) setTimeout(this.#changed, WAITED / 5);
      return;
    }
    this.#busy = true;
    await Promise.all(this.#strands.map((strand) => this.#timed(strand)));
    for (const strand of this.#strands) {
      strand.lines = strand.reader.lines;
      strand.first = strand.next = strand.lines.dropped + strand.lines.list.length;
    }
    this.#begun = true;
    await this.#older();
    this.#busy = false;
    this.#changed();
  }

  #arrived(source: number): void {
    const strand = this.#strands[source];
    if (!strand) return;
    const { lines } = strand.reader;
    if (lines !== strand.lines) {
      strand.lines = lines;
      strand.first = strand.next = lines.dropped;
    }
    const from = Math.max(0, strand.next - lines.dropped);
    for (const line of lines.list.slice(from)) {
      line.source = source;
      this.lines.add(line);
      if (!this.following) this.missed++;
    }
    strand.next = lines.dropped + lines.list.length;
  }

  async earlier(): Promise<boolean> {
    if (this.#busy || !this.#begun) return false;
    this.#busy = true;
    const found = await this.#older();
    this.#busy = false;
    if (found) this.#changed();
    return found;
  }

  /** Takes the newest of what lies before, log by log; fetches more wherever one runs out. */
  async #older(): Promise<boolean> {
    const found: Line[] = [];
    while (found.length < STEP) {
      let newest: { line: Line; at: number; source: number } | undefined;
      for (const [source, strand] of this.#strands.entries()) {
        const line = await this.#before(strand);
        if (!line) continue;
        line.source = source;
        line.at = strand.times.at(line.from) ?? Date.now();
        if (!newest || line.at > newest.at) newest = { line, at: line.at, source };
      }
      const strand = newest && this.#strands[newest.source];
      if (!newest || !strand) break;
      strand.first--;
      found.push(newest.line);
    }
    this.lines.prepend(found.reverse());
    return found.length > 0;
  }

  async #before(strand: Strand): Promise<Line | undefined> {
    const { reader } = strand;
    const at = () => reader.lines.list[strand.first - 1 - reader.lines.dropped];
    if (at() || reader.lines !== strand.lines) return at();
    if (!(await reader.earlier())) return undefined;
    await this.#timed(strand);
    return at();
  }

  async #timed({ reader, times }: Strand): Promise<void> {
    await times.ensure(reader.stretch.from, Math.max(reader.stretch.to, reader.stretch.from + 1));
  }

  async later(): Promise<boolean> {
    return false;
  }

  toEnd(): void {
    this.missed = 0;
    for (const { reader } of this.#strands) reader.toEnd();
  }

  #sum(part: (reader: Reader) => number): number {
    return this.#strands.reduce((all, { reader }) => all + part(reader), 0);
  }
}
