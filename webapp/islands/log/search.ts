import { Refusal, type Source } from "./source";

export interface Match {
  readonly offset: number;
  readonly length: number;
  /** Where `text` begins. */
  readonly start: number;
  readonly text: string;
  readonly line?: number;
}

export interface Query {
  readonly words: string;
  readonly regex: boolean;
  readonly cased: boolean;
}

const MOST = 10_000;
const AGAIN = 1_500;

interface Said {
  offset?: number;
  length?: number;
  start?: number;
  text?: string;
  progress?: number;
  end?: boolean;
  next?: number | null;
  scanned?: number;
  why?: "end" | "limit" | "deadline";
  message?: string;
}

/** Searches the whole stored log on the gateway, and goes on as it grows. */
export class Search {
  matches: Match[] = [];
  current = -1;
  query: Query | undefined;
  scanned = 0;
  running = false;
  /** There are more than it may tell. */
  more = false;
  fault: string | undefined;
  #stop: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #source: Source;
  readonly #changed: () => void;
  readonly #size: () => number;

  constructor(source: Source, size: () => number, changed: () => void) {
    this.#source = source;
    this.#size = size;
    this.#changed = changed;
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
    this.current = -1;
    this.fault = undefined;
    this.#changed();
  }

  async start(query: Query): Promise<void> {
    this.stop();
    this.query = query;
    this.matches = [];
    this.current = -1;
    this.scanned = 0;
    this.more = false;
    this.fault = undefined;
    await this.#run(0);
  }

  /** The match after or before the current one, or the first from an offset on; round and round. */
  step(by: 1 | -1, offset: number): Match | undefined {
    const count = this.matches.length;
    if (count === 0) return undefined;
    if (this.current >= 0) this.current = (this.current + by + count) % count;
    else {
      const first = this.matches.findIndex((match) => match.offset >= offset);
      this.current = by > 0 ? Math.max(0, first) : ((first < 0 ? count : first) - 1 + count) % count;
    }
    this.#changed();
    return this.matches[this.current];
  }

  async #run(offset: number): Promise<void> {
    const query = this.query;
    if (!query) return;
    const mine = new AbortController();
    this.#stop = mine;
    this.running = true;
    this.#changed();
    let next: number | null = null;
    try {
      const words = { grep: query.words, regex: query.regex ? 1 : 0, case: query.cased ? 1 : 0 };
      const limit = MOST - this.matches.length;
      const answer = await this.#source.get({ ...words, offset, limit, context: 0 }, "", mine.signal);
      for await (const said of lines(answer)) next = this.#heard(said) ?? next;
    } catch (fault) {
      if (mine.signal.aborted) return;
      this.fault = fault instanceof Refusal ? fault.message : String(fault);
    }
    if (mine.signal.aborted) return;
    this.running = false;
    this.#changed();
    if (!this.fault && !this.more) this.#timer = setTimeout(() => this.#again(next), AGAIN);
  }

  #again(next: number | null): void {
    const from = next ?? this.scanned;
    if (this.#size() > from) this.#run(from);
    else this.#timer = setTimeout(() => this.#again(next), AGAIN);
  }

  /** Takes one line of the answer; tells where the next search begins, once it is known. */
  #heard(said: Said): number | undefined {
    if (said.end) {
      this.scanned = Math.max(this.scanned, said.next ?? said.scanned ?? 0);
      this.more = said.why === "limit" || this.matches.length >= MOST;
      return said.next ?? undefined;
    }
    if (said.progress !== undefined) this.scanned = said.progress;
    else if (said.offset !== undefined) {
      const { offset, length = 0, start = offset, text = "" } = said;
      // the search after growth begins at its line, so the last may come again
      if (offset > (this.matches.at(-1)?.offset ?? -1)) this.matches.push({ offset, length, start, text });
    } else if (said.message) this.fault = said.message;
    this.#changed();
    return undefined;
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

/** What was found, as it stands in the text: to be marked in the rows. */
export function found(match: Match): string {
  const bytes = new TextEncoder().encode(match.text);
  const at = match.offset - match.start;
  const text = new TextDecoder().decode(bytes.subarray(at, at + match.length));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours inside a match are not among what is shown
  return text.replaceAll(/\u001b\[[\d;:]*m/g, "").split("\n")[0] ?? "";
}
