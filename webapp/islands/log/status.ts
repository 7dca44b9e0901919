import { amount, type Words } from "./dom";
import type { Feed } from "./feed";

/** How a log stands, in a sentence, and whether that is good. */
export function saying(feed: Feed, words: Words): { words: string; tone: "good" | "bad" | "warn" | "faint" } {
  const { end, size, status, refusal, skippedBytes } = feed;
  if (refusal) return { words: refusal.message, tone: "bad" };
  if (end) {
    const { exitCode } = end;
    if (size === 0) return { words: words("endedEmpty"), tone: "faint" };
    const said = exitCode === null ? words("ended", size) : words("endedCode", exitCode, size);
    return { words: said, tone: exitCode === null || exitCode === 0 ? "good" : "bad" };
  }
  if (status === "lost") return { words: words("lost"), tone: "warn" };
  if (status === "connecting" || !feed.greeted) return { words: words("connecting"), tone: "faint" };
  if (status === "polling") return { words: words("polling", size), tone: "warn" };
  if (size === 0) return { words: words("empty"), tone: "faint" };
  const said = words(feed.following ? "following" : "reading", size);
  const skipped = skippedBytes > 0 && feed.following ? ` · ${words("skipped", amount(skippedBytes))}` : "";
  return { words: said + skipped, tone: "faint" };
}
