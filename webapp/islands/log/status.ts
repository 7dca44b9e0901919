import { amount, type Words } from "./dom";
import type { Feed } from "./feed";
import { NoSuchLine } from "./sight";
import { Refusal } from "./source";

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

/** How a log stands, in a sentence, and whether that is good. */
export function saying(feed: Feed, words: Words): Saying {
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
