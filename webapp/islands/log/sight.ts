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
    time: (line) => (feed.timed ? (feed.timeOf(line) ?? null) : undefined),
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

export type To = Place | { readonly at: number } | { readonly line: number };

/** The row at a place, at a time or with a number, brought into memory. */
export async function jumpIn({ feed, sources }: Sight, to: To): Promise<Line | undefined> {
  if ("at" in to) return feed.jumpToTime(to.at);
  if ("line" in to) return feed.jump({ source: 0, offset: (await sources[0]?.offsetOfLine(to.line)) ?? 0 });
  return feed.jump(to);
}
