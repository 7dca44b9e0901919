import { make, type Words } from "./dom";
import type { Place } from "./feed";
import { Foot } from "./foot";
import type { Pane } from "./pane";
import { type Mark, Ruler } from "./ruler";
import type { Sight } from "./sight";

const MARKING = 250;

interface Ways {
  go(offset: number): Promise<void>;
  toEnd(): void;
  toCause(): void;
}

/** Says where one is and how the log stands: the strip beside the rows, the way back to the end, the foot. */
export class Bearings {
  readonly foot: Foot;
  readonly strip: HTMLElement | undefined;
  readonly newer: HTMLButtonElement;
  readonly #ruler: Ruler;
  readonly #words: Words;
  readonly #sight: Sight;
  #marked = 0;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(sight: Sight, words: Words, { go, toEnd, toCause }: Ways) {
    this.#sight = sight;
    this.#words = words;
    this.foot = new Foot(
      words,
      sight.cause && make("button", { type: "button", onclick: toCause }, words("causeShort")),
    );
    this.newer = make("button", { type: "button", class: "log-newer button", hidden: true });
    this.newer.addEventListener("click", toEnd);
    this.#ruler = new Ruler(words("strip"), go);
    this.strip = sight.merged ? undefined : this.#ruler.element;
  }

  /** What is marked in the strip has changed. */
  remark(): void {
    this.#marked = 0;
  }

  tell(pane: Pane, view: HTMLElement, target: Place | undefined): void {
    const { feed, merged, nameOf } = this.#sight;
    const seen = pane.seen();
    this.foot.tell(feed, seen, view, nameOf);
    const newer = feed.following || feed.missed === 0 ? "" : this.#words("newer", feed.missed);
    this.newer.hidden = feed.following || (feed.missed === 0 && feed.attached && pane.atBottom);
    const label = newer || this.#words("toEnd");
    if (this.newer.textContent !== label) this.newer.textContent = label;
    if (merged) return;
    if (seen) this.#ruler.place(seen[0].from, feed.following ? feed.size : seen[1].to, feed.size);
    this.#mark(target);
  }

  /** Not with every frame: of ten thousand matches that would be felt. */
  #mark(target: Place | undefined): void {
    const wait = this.#marked + MARKING - performance.now();
    clearTimeout(this.#later);
    if (wait > 0) {
      this.#later = setTimeout(() => this.#mark(target), wait);
      return;
    }
    this.#marked = performance.now();
    this.#ruler.mark(this.#marks(target));
  }

  #marks(target: Place | undefined): Mark[] {
    const { cause, search, sources } = this.#sight;
    const marks: Mark[] = search.offsets().map((offset) => ({ offset, kind: "found" }));
    for (const { from } of sources[0]?.holes.all ?? []) marks.push({ offset: from, kind: "hole" });
    if (cause) marks.push({ offset: cause.offset, kind: "cause" });
    if (target) marks.push({ offset: target.offset, kind: "target" });
    return marks;
  }
}
