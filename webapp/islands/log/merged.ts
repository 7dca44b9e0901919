import { Crowd } from "./crowd";
import type { Feed, Place } from "./feed";
import type { Line } from "./line";
import { Lines } from "./lines";
import type { Reader } from "./reader";
import type { Source } from "./source";
import { nextOf, Strand, UNREACHED } from "./strand";

/** So many logs are merged at most. */
export const MOST = 32;
const KEPT = 6_000;
const STEP = 400;
const WAITED = 1_500;

/** Several logs as one: live rows in the order in which they come, all others in the order of their times. */
export class Merged extends Crowd implements Feed {
  lines = new Lines();
  following = true;
  readonly #strands: Strand[];
  #opened = performance.now();
  #begun = false;
  /** The newest row of every log is there, so that what comes can be added below. */
  #live = true;
  timed = false;
  #takenBack = 0;
  #epoch = 0;
  #busy: Promise<unknown> | undefined;
  readonly #changed: () => void;

  constructor(sources: readonly Source[], changed: () => void, timed: () => void) {
    super();
    this.#changed = changed;
    this.#strands = sources.slice(0, MOST).map((source) => new Strand(source, changed, timed));
  }

  get readers(): Reader[] {
    return this.#strands.map(({ reader }) => reader);
  }

  get attached(): boolean {
    return this.#live;
  }

  numberOf(line: Line): number | undefined {
    return this.#strands[line.source]?.reader.numberOf(line);
  }

  timeOf(line: Line): number | undefined {
    return this.#strands[line.source]?.known(line);
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
    else {
      for (const strand of this.#strands.filter(({ torn }) => torn))
        if (this.#live && !this.#busy) this.#restart();
        else strand.mend();
      if (this.#live) this.#arrived();
    }
    this.#renumber();
    return more;
  }

  async earlier(): Promise<boolean> {
    return this.#more(true);
  }

  async later(): Promise<boolean> {
    return this.#more(false);
  }

  toEnd(): void {
    this.missed = 0;
    if (this.#live) return;
    for (const { reader } of this.#strands) reader.toEnd();
    this.#restart();
    this.#changed();
  }

  async jump(place: Place): Promise<Line | undefined> {
    const strand = this.#strands[place.source];
    return strand && this.#alone(async () => this.#gather(await strand.reader.source.timeAt(place.offset), place));
  }

  async jumpToTime(at: number): Promise<Line | undefined> {
    return this.#alone(() => this.#gather(at, undefined));
  }

  #restart(): void {
    this.#begun = false;
    this.#opened = performance.now();
  }

  /** The first rows of all are put in order by their times, once all are there or have been waited for long enough. */
  #begin(): void {
    if (this.#busy) return;
    const late = performance.now() - this.#opened > WAITED;
    if (!late && !this.#strands.every(({ ready }) => ready)) {
      setTimeout(this.#changed, WAITED / 5);
      return;
    }
    this.#alone(async () => {
      await Promise.all(this.#strands.map((strand) => strand.splitAtEnd()));
      this.lines = new Lines();
      this.#begun = this.#live = true;
      await this.#take(true);
      this.#changed();
    });
  }

  /** The rows around a time, or around a place in one of the logs. */
  async #gather(at: number, place: Place | undefined): Promise<Line | undefined> {
    this.#begun = true;
    this.#live = false;
    await Promise.all(this.#strands.map((strand, i) => strand.go(at, i === place?.source ? place : undefined)));
    this.lines = new Lines();
    // what is looked for comes first among all that was printed in its second
    const strand = place && this.#strands[place.source];
    const target = await strand?.next(false);
    if (target && target !== UNREACHED) {
      target.source = place?.source ?? 0;
      strand?.took(target, false);
      this.lines.add(target);
    }
    const before = await this.#take(true);
    await this.#take(false);
    return this.lines.list[before] ?? this.lines.list.at(-1);
  }

  #arrived(): void {
    for (const [source, strand] of this.#strands.entries())
      for (const line of strand.arrived()) {
        line.source = source;
        this.lines.add(line);
      }
    if (this.following) this.#trim(true);
    if (this.#strands.some(({ reader }) => !reader.attached)) this.#live = false;
    const takenBack = this.sum(({ lines }) => lines.takenBack);
    if (takenBack !== this.#takenBack) this.lines.sweep();
    this.#takenBack = takenBack;
  }

  async #more(above: boolean): Promise<boolean> {
    if (this.#busy || !this.#begun || (!above && this.#live)) return false;
    const some = await this.#alone(async () => (await this.#take(above)) > 0);
    if (some) this.#changed();
    return some;
  }

  /** Takes the next rows above or below, log by log in the order of their times, and tells how many there were. */
  async #take(above: boolean): Promise<number> {
    const found: Line[] = [];
    const heads = await Promise.all(this.#strands.map((strand) => strand.next(above)));
    while (found.length < STEP && !heads.includes(UNREACHED)) {
      const best = nextOf(this.#strands, heads, above);
      const [strand, line] = [this.#strands[best], heads[best]];
      if (!strand || !line || line === UNREACHED) break;
      line.source = best;
      line.at = strand.timeOf(line);
      strand.took(line, above);
      found.push(line);
      heads[best] = await strand.next(above);
    }
    if (above) this.lines.prepend(found.reverse());
    else for (const line of found) this.lines.add(line);
    this.#trim(!above);
    this.#live = !above && heads.every((head) => !head) ? true : this.#live;
    return found.length;
  }

  /** Rows that are far from where somebody reads go from memory. */
  #trim(top: boolean): void {
    if (this.lines.list.length <= 2 * KEPT) return;
    const gone = top ? this.lines.trimStart(KEPT) : this.lines.trimEnd(2 * KEPT).reverse();
    for (const line of gone) this.#strands[line.source]?.forgot(line, top);
    if (!top && gone.length > 0) this.#live = false;
  }

  #renumber(): void {
    const epoch = this.sum(({ lines }) => (lines.anchor === undefined ? 0 : 1));
    if (epoch !== this.#epoch) this.lines.epoch++;
    this.#epoch = epoch;
  }

  /** One after the other: each of these moves what the next begins at. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = (this.#busy ?? Promise.resolve()).then(work);
    const over = done.then(
      () => undefined,
      () => undefined,
    );
    this.#busy = over;
    over.then(() => {
      if (this.#busy === over) this.#busy = undefined;
    });
    return done;
  }
}
