import type { Words } from "./dom";
import { type Feed, holds, type Place } from "./feed";
import type { Line } from "./line";
import type { Context } from "./row";
import type { Finding } from "./search";
import type { Source } from "./source";

/** What is looked at: one log, or several merged. */
export interface Sight {
  readonly feed: Feed;
  readonly search: Finding;
  readonly sources: readonly Source[];
  readonly merged: boolean;
  /** The line that explains the end. */
  readonly cause: Place | undefined;
  name(line: Line): string | undefined;
  permalink(line: Line): string | undefined;
}

/** What a row shows beside its text. */
export function contextOf(sight: Sight, words: Words, target: () => Place | undefined): Context {
  const { feed, search, cause } = sight;
  return {
    words,
    number: (line) => feed.numberOf(line),
    time: (line) => feed.timeOf(line),
    link: (line) => sight.permalink(line),
    source: (line) => sight.name(line),
    marks: (line) => [
      ...(holds(line, cause) ? ["cause"] : []),
      ...(holds(line, target()) ? ["target"] : []),
      ...(line.continued ? ["continued"] : []),
      ...(holds(line, search.current) ? ["found"] : []),
    ],
  };
}
