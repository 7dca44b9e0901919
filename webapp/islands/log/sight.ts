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
  nameOf(source: number): string;
  permalink(line: Line): string | undefined;
}

/** What a row shows beside its text. */
export function contextOf(sight: Sight, words: Words, target: () => Place | undefined): Context {
  const { feed, search, cause } = sight;
  return {
    words,
    number: (line) => feed.numberOf(line),
    time: (line) => (feed.timed ? (feed.timeOf(line) ?? null) : undefined),
    link: (line) => sight.permalink(line),
    source: (line) => (sight.merged ? sight.nameOf(line.source) : undefined),
    marks: (line) => [
      ...(holds(line, cause) ? ["cause"] : []),
      ...(holds(line, target()) ? ["target"] : []),
      ...(line.continued ? ["continued"] : []),
      ...(holds(line, search.current) ? ["found"] : []),
    ],
  };
}

/** There are only so many. */
export class NoSuchLine extends Error {
  readonly line: number;
  readonly last: number;

  constructor(line: number, last: number) {
    super();
    this.line = line;
    this.last = last;
  }
}

export type To = Place | { readonly at: number } | { readonly line: number };

/** The row at a place, at a time or with a number, brought into memory. */
export async function jumpIn({ feed, sources }: Sight, to: To): Promise<Line | undefined> {
  if ("at" in to) return feed.jumpToTime(to.at);
  if ("line" in to) {
    const place = await sources[0]?.placeOfLine(to.line);
    if (place && "last" in place) throw new NoSuchLine(to.line, place.last);
    return feed.jump({ source: 0, offset: place?.offset ?? 0 });
  }
  return feed.jump(to);
}
