import type { Feed, Place } from "./feed";
import type { Line } from "./line";
import { lowest } from "./lowest";
import { Refusal } from "./refusal";
import type { Source } from "./source";

export interface Match extends Place {
  readonly length: number;
  /** Where `text` begins. */
  readonly start: number;
  readonly text: string;
}

export interface Query {
  readonly words: string;
  readonly regex: boolean;
  readonly cased: boolean;
}

/** A search over all that is stored, of one log or of several; it goes on as they grow. */
export interface Finding {
  readonly query: Query | undefined;
  readonly count: number;
  readonly current: Match | undefined;
  /** Which of all `current` is, from 0. */
  readonly at: number;
  readonly running: boolean;
  /** There are more than it may tell. */
  readonly more: boolean;
  readonly fault: Fault | undefined;
  /** How much of all has been gone through, from 0 to 1. */
  readonly part: number;
  start(query: Query): Promise<void>;
  clear(): void;
  stop(): void;
  /** The match after or before the current one, or the first from a row on; round and round. */
  step(by: 1 | -1, from: Line | undefined): Match | undefined;
  inside(line: Line): Match[];
  offsets(): number[];
}

export const MOST = 10_000;

/** Why a search found no more: the gateway's sentence, and the name of another among the page's words where there is one. */
export interface Fault {
  readonly key?: string | undefined;
  readonly said: string;
  /** Of several logs, those that could not be searched; the others were. */
  readonly without?: readonly number[];
}

/** The answer ended before the search did. */
const CUT: Fault = { key: "searchCut", said: "" };
const KEYS: Record<number, string> = { 410: "deleted", 429: "searchTooMany" };
const AGAIN = 1_500;
/** What is found may have begun before the end that the log had at the last search. */
const OVERLAP = 4 << 10;

interface Said {
  offset?: number;
  length?: number;
  start?: number;
  text?: string;
  progress?: number;
  end?: boolean;
  next?: number | null;
  /** Where this search ended: all between there and where it began has been looked through. */
  upTo?: number;
  why?: "end" | "limit" | "deadline";
  message?: string;
}

/** Searches the whole stored log on the gateway, and goes on as it grows. */
export class Search implements Finding {
  matches: Match[] = [];
  at = -1;
  query: Query | undefined;
  /** It has not been through the whole log yet; what comes later is added without a word. */
  running = false;
  more = false;
  fault: Fault | undefined;
  #scanned = 0;
  #stop: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #source: Source;
  readonly #changed: () => void;
  readonly #feed: Pick<Feed, "size" | "end">;
  readonly #index: number;
  readonly #most: number;

  constructor(source: Source, feed: Pick<Feed, "size" | "end">, changed: () => void, { index = 0, most = MOST } = {}) {
    this.#source = source;
    this.#feed = feed;
    this.#changed = changed;
    this.#index = index;
    this.#most = most;
  }

  get count(): number {
    return this.matches.length;
  }

  get current(): Match | undefined {
    return this.matches[this.at];
  }

  get part(): number {
    return this.#feed.size > 0 ? Math.min(1, this.#scanned / this.#feed.size) : 0;
  }

  stop(): void {
    this.#stop?.abort();
    clearTimeout(this.#timer);
    this.running = false;
  }

  clear(): void {
    this.stop();
    this.query = undefined;
    this.matches = [];
    this.at = -1;
    this.fault = undefined;
    this.#changed();
  }

  async start(query: Query): Promise<void> {
    this.clear();
    this.query = query;
    this.#scanned = 0;
    this.more = false;
    this.running = true;
    await this.#run(0);
  }

  step(by: 1 | -1, from: Line | undefined): Match | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    if (this.at >= 0) this.at = (this.at + by + count) % count;
    else {
      const first = this.matches.findIndex(({ offset }) => offset >= (from?.from ?? 0));
      this.at = by > 0 ? Math.max(0, first) : ((first < 0 ? count : first) - 1 + count) % count;
    }
    this.#changed();
    return this.current;
  }

  inside(line: Line): Match[] {
    const { matches } = this;
    let next = lowest(matches, ({ offset }) => offset >= line.from);
    const inside: Match[] = [];
    for (let match = matches[next]; match && match.offset < line.to; match = matches[++next]) inside.push(match);
    return inside;
  }

  offsets(): number[] {
    return this.matches.map(({ offset }) => offset);
  }

  async #run(offset: number): Promise<void> {
    const query = this.query;
    if (!query) return;
    const mine = new AbortController();
    this.#stop = mine;
    this.#changed();
    const known = this.#scanned;
    let why: Said["why"];
    try {
      why = await this.#source.turns.searches.run(() => this.#pass(query, offset, mine.signal), mine.signal);
      // the gateway always says how a search ended
      if (!why || (why === "deadline" && this.#scanned <= known)) this.fault ??= CUT;
    } catch (fault) {
      if (mine.signal.aborted) return;
      if (!(fault instanceof Refusal)) this.fault = CUT;
      else
        this.fault = {
          key: fault.status === 400 && query.regex ? "searchBad" : KEYS[fault.status],
          said: fault.message,
        };
    }
    if (mine.signal.aborted) return;
    this.running &&= why === "deadline" && !this.fault;
    this.#changed();
    if (this.running) await this.#run(this.#resumed);
    else this.#again();
  }

  /** One request, from an offset on; tells how it ended, if it did. */
  async #pass(query: Query, offset: number, signal: AbortSignal): Promise<Said["why"]> {
    const words = { grep: query.words, regex: query.regex ? 1 : 0, case: query.cased ? 1 : 0, plain: 1 };
    // those in the overlap come again
    const limit = Math.min(this.#most, this.#most - this.matches.length + OVERLAP);
    const answer = await this.#source.get({ ...words, offset, limit, context: 0 }, "", signal);
    let why: Said["why"];
    for await (const said of lines(answer)) {
      why = said.end ? (said.why ?? "end") : why;
      this.#heard(said);
    }
    return why;
  }

  get #resumed(): number {
    return Math.max(0, this.#scanned - OVERLAP);
  }

  /** Goes on where it ended once there is more; a log that has ended and was looked through is never searched again. */
  #again(): void {
    const { end } = this.#feed;
    if (this.fault || this.more || (end && this.#scanned >= end.size)) return;
    const grown = () => this.#feed.size > this.#scanned;
    this.#timer = setTimeout(() => (grown() ? this.#run(this.#resumed) : this.#again()), AGAIN);
  }

  #heard(said: Said): void {
    if (said.end) {
      this.#scanned = Math.max(this.#scanned, said.next ?? said.upTo ?? 0);
      this.more = said.why === "limit" || this.matches.length >= this.#most;
      return;
    }
    if (said.progress !== undefined) this.#scanned = Math.max(this.#scanned, said.progress);
    else if (said.offset !== undefined) {
      const { offset, length = 0, start = offset, text = "" } = said;
      if (offset > (this.matches.at(-1)?.offset ?? -1) && this.matches.length < this.#most)
        this.matches.push({ source: this.#index, offset, length, start, text });
    } else if (said.message) this.fault = { said: said.message };
    this.#changed();
  }
}

async function* lines(answer: Response): AsyncGenerator<Said> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const parts = (rest + (value ?? "")).split("\n");
    rest = done ? "" : (parts.pop() ?? "");
    for (const part of parts) if (part.trim()) yield JSON.parse(part) as Said;
    if (done) return;
  }
}
