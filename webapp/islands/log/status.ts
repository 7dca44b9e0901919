import { amount, listed, type Words } from "./dom";
import type { Feed } from "./feed";
import { Refusal } from "./refusal";
import { NoSuchLine } from "./sight";

export interface Saying {
  readonly words: string;
  readonly tone: "good" | "bad" | "warn" | "faint";
}

const REFUSED: Record<number, string> = { 404: "notThere", 410: "deleted", 429: "tooMany", 504: "tooSlow" };

/** What the gateway refused, in the page's own words where it has some. */
function refused({ status, message }: Refusal, words: Words): string {
  const known = REFUSED[status];
  return known ? words(known) : message;
}

/** Why somebody did not come to where they wanted. */
export function failed(fault: unknown, words: Words): string {
  if (fault instanceof NoSuchLine) return words("noSuchLine", fault.line, fault.last);
  if (fault instanceof Refusal) return refused(fault, words);
  throw fault;
}

const ABSENT: Record<number, string> = { 404: "withoutNone", 410: "withoutDeleted" };

/** How what is looked at stands, in a sentence, and whether that is good; of several logs also which are not there. */
export function saying(feed: Feed, words: Words, name: (source: number) => string): Saying {
  const said = standing(feed, words);
  if (feed.refusal || feed.absent.length === 0) return said;
  const why = new Map<string, string[]>();
  for (const { source, refusal } of feed.absent) {
    const key = ABSENT[refusal.status] ?? "withoutBusy";
    why.set(key, [...(why.get(key) ?? []), name(source)]);
  }
  const parts = [...why].map(([key, names]) => words(key, listed(names)));
  return { words: [said.words, ...parts].join(" · "), tone: said.tone === "bad" ? "bad" : "warn" };
}

function standing(feed: Feed, words: Words): Saying {
  const { end, size, status, refusal, skippedBytes, gone } = feed;
  if (refusal) return { words: refused(refusal, words), tone: "bad" };
  const missing =
    gone.bytes > 0 ? words("missing", amount(gone.bytes)) : gone.maybe ? words("missingMaybe") : undefined;
  if (end) {
    const { exitCode } = end;
    if (size === 0) return { words: words("endedEmpty"), tone: "faint" };
    const said = exitCode === null ? words("ended", size) : words("endedCode", exitCode, size);
    const good = exitCode === null || exitCode === 0;
    return { words: said + (missing ?? words("storedOf", size)), tone: good ? (missing ? "warn" : "good") : "bad" };
  }
  if (status === "lost") return { words: words("lost"), tone: "warn" };
  if (status === "connecting" || !feed.greeted) return { words: words("connecting"), tone: "faint" };
  const stored = missing ?? words("stored");
  if (status === "polling") return { words: words("polling", size) + stored, tone: "warn" };
  if (size === 0) return { words: words("empty"), tone: "faint" };
  const said = words(feed.following ? "following" : "reading", size) + stored;
  const skipped = skippedBytes > 0 && feed.following ? ` · ${words("skipped", amount(skippedBytes))}` : "";
  return { words: said + skipped, tone: missing ? "warn" : "faint" };
}
