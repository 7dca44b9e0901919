import { make, type Words } from "./dom";
import type { Feed } from "./feed";
import type { Line } from "./line";
import { saying } from "./status";

const QUIET = 5_000;

/** Below the rows: how the log stands, which lines can be seen, and what somebody who listens is told. */
export class Foot {
  readonly element: HTMLElement;
  readonly #status = make("span", { class: "faint" });
  readonly #place = make("span", { class: "place faint" });
  readonly #voice = make("span", { class: "unseen", "aria-live": "polite" });
  readonly #words: Words;
  #spoken = 0;
  #heard = 0;
  #noted = 0;

  constructor(words: Words, more: HTMLElement | undefined) {
    this.#words = words;
    this.element = make("footer", { class: "log-foot" }, this.#status, more, this.#place, this.#voice);
  }

  tell(feed: Feed, seen: [Line, Line] | undefined, host: HTMLElement, name: (source: number) => string): void {
    const said = saying(feed, this.#words, name);
    put(this.#status, said.words);
    this.#status.className = said.tone;
    const [first, last] = seen?.map((line) => feed.numberOf(line)) ?? [];
    const ordered = first !== undefined && last !== undefined && first <= last;
    if (performance.now() > this.#noted) put(this.#place, ordered ? this.#words("lines", first, last) : "");
    this.#news(feed, host);
  }

  /** Shown for a while, and said. */
  note(sentence: string): void {
    put(this.#place, sentence);
    this.#noted = performance.now() + QUIET;
    this.say(sentence);
  }

  /** Said at once: where a key or a search has led. */
  say(sentence: string): void {
    this.#voice.textContent = sentence;
    this.#spoken = performance.now();
  }

  /** Now and then how much has come, not every line; and only to those who are in the log. */
  #news({ lines, following }: Feed, host: HTMLElement): void {
    const count = lines.list.length + lines.dropped;
    const now = performance.now();
    if (!following || now - this.#spoken < QUIET || !host.contains(document.activeElement)) return;
    if (count > this.#heard && this.#heard > 0)
      this.#voice.textContent = this.#words("aloud", count - this.#heard, lines.list.at(-1)?.text.slice(0, 160) ?? "");
    this.#heard = count;
    this.#spoken = now;
  }
}

function put(element: HTMLElement, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}
