import type { Feed } from "./feed";
import type { Line } from "./line";
import { lowest } from "./lowest";
import { type Fault, type Finding, type Match, MOST, type Query, Search } from "./search";
import type { Source } from "./source";

const POINTS = 2_000;

interface Part {
  readonly search: Search;
  readonly source: Source;
  readonly size: () => number;
  /** Offsets and times, so that what was found can be put in order. */
  times: [number, number][];
}

/** Searches several logs, and leads through what it finds in the order in which it was printed. */
export class SearchAll implements Finding {
  query: Query | undefined;
  /** Their times are being asked for, before they are searched. */
  #preparing = 0;
  #parts: Part[];
  #current: Match | undefined;
  #sorted: { match: Match; at: number }[] | undefined;
  readonly #timeOf: (line: Line) => number | undefined;
  readonly #changed: () => void;

  constructor(
    sources: Source[],
    feeds: readonly Pick<Feed, "size" | "end">[],
    timeOf: (line: Line) => number | undefined,
    changed: () => void,
  ) {
    this.#timeOf = timeOf;
    this.#changed = changed;
    const most = Math.floor(MOST / Math.max(1, sources.length));
    this.#parts = sources.map((source, index) => {
      const feed = feeds[index] ?? { size: 0, end: undefined };
      const search = new Search(source, feed, () => this.#found(), { index, most });
      return { search, source, size: () => feed.size, times: [] };
    });
  }

  get count(): number {
    return this.#parts.reduce((sum, { search }) => sum + search.count, 0);
  }

  get current(): Match | undefined {
    return this.#current;
  }

  get at(): number {
    return this.#current ? this.#order().findIndex(({ match }) => match === this.#current) : -1;
  }

  get running(): boolean {
    return this.#preparing > 0 || this.#parts.some(({ search }) => search.running);
  }

  get more(): boolean {
    return this.#parts.some(({ search }) => search.more);
  }

  get fault(): Fault | undefined {
    const without = [...this.#parts.keys()].filter((index) => this.#parts[index]?.search.fault);
    const first = this.#parts[without[0] ?? -1]?.search.fault;
    return first && without.length < this.#parts.length ? { ...first, without } : first;
  }

  get part(): number {
    const whole = this.#parts.reduce((sum, { size }) => sum + size(), 0);
    const done = this.#parts.reduce((sum, { search, size }) => sum + search.part * size(), 0);
    return whole > 0 ? done / whole : 0;
  }

  stop(): void {
    for (const { search } of this.#parts) search.stop();
  }

  clear(): void {
    this.query = undefined;
    this.#current = undefined;
    for (const { search } of this.#parts) search.clear();
  }

  async start(query: Query): Promise<void> {
    this.clear();
    this.query = query;
    this.#preparing += this.#parts.length;
    await Promise.all(this.#parts.map((part) => this.#begin(part, query)));
  }

  /** Each waits for its turn: the logs share those of the view. */
  async #begin(part: Part, query: Query): Promise<void> {
    const { searches } = part.source.turns;
    const times = await searches.run(() => part.source.times(0, part.size(), POINTS)).catch(() => []);
    this.#preparing--;
    if (this.query !== query) return;
    part.times = times;
    await part.search.start(query);
  }

  step(by: 1 | -1, from: Line | undefined): Match | undefined {
    const all = this.#order();
    const count = all.length;
    if (count === 0) return undefined;
    const known = this.at;
    const first = all.findIndex(({ at }) => at >= ((from && this.#timeOf(from)) ?? 0));
    const begin = by > 0 ? Math.max(0, first) : (first < 0 ? count : first) - 1;
    const next = known >= 0 ? known + by : begin;
    this.#current = all[(next + count) % count]?.match;
    this.#changed();
    return this.#current;
  }

  inside(line: Line): Match[] {
    return this.#parts[line.source]?.search.inside(line) ?? [];
  }

  /** They have no strip on which places could be marked. */
  offsets(): number[] {
    return [];
  }

  #found(): void {
    this.#sorted = undefined;
    this.#changed();
  }

  #order(): { match: Match; at: number }[] {
    this.#sorted ??= this.#parts
      .flatMap(({ search, times }) => search.matches.map((match) => ({ match, at: between(times, match.offset) })))
      .sort((one, other) => one.at - other.at || one.match.source - other.match.source);
    return this.#sorted;
  }
}

/** When it was printed, between the two times that are known about it. */
function between(times: [number, number][], offset: number): number {
  const next = lowest(times, ([known]) => known > offset);
  const later = times[next];
  if (!later) return Date.now();
  const [from, since] = times[next - 1] ?? [0, later[1]];
  return since + ((later[1] - since) * (offset - from)) / Math.max(1, later[0] - from);
}
