import { tellChartsOf } from "./charts";
import type { Words } from "./dom";
import { holds, type Place } from "./feed";
import type { Line } from "./line";
import type { Sight } from "./sight";

/** The row that the address names. */
export class Target {
  place: Place | undefined;
  readonly #sight: Sight;
  readonly #words: Words;
  readonly #note: (sentence: string) => void;

  constructor(sight: Sight, words: Words, note: (sentence: string) => void) {
    this.#sight = sight;
    this.#words = words;
    this.#note = note;
  }

  set(line: Line): void {
    this.place = { source: line.source, offset: line.from };
  }

  /** Puts a link to a row into the address; without one to what was found last, or else to the first row that can be seen. */
  link(line: Line | undefined, first: Line | undefined): void {
    const { search, feed } = this.#sight;
    const row = line ?? feed.lines.list.find((known) => holds(known, search.current)) ?? first;
    const address = row && this.#sight.permalink(row);
    if (!row || !address) return;
    this.set(row);
    history.replaceState(history.state, "", address);
    const source = this.#sight.sources[row.source];
    if (source) tellChartsOf(source, row.from);
    this.#note(this.#words("linked"));
  }
}
