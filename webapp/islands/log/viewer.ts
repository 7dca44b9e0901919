import { Bearings } from "./bearings";
import { Copying } from "./copying";
import { make, painted, type Words, words } from "./dom";
import type { Place } from "./feed";
import type { Line } from "./line";
import { currentMatch, markFound } from "./marks";
import { Pane } from "./pane";
import { type Context, draw } from "./row";
import type { Query } from "./search";
import { contextOf, jumpIn, type Sight, type To } from "./sight";
import { Opened } from "./states";
import { failed } from "./status";
import { Target } from "./target";

/** Of a frame, so much goes into making rows. */
const BUDGET = 8;

type Why = "strip" | "target" | "found";

/** One log on the page: rows, strip and foot, kept current frame by frame. */
export class Viewer {
  readonly element: HTMLElement;
  readonly sight: Sight;
  readonly #target: Target;
  /** Where somebody asked to go last, undefined for the end: what arrives late of an earlier wish moves nobody. */
  #wanted: To | undefined;
  readonly #words: Words;
  readonly #view: HTMLElement;
  readonly #body = make("div", { class: "log-rows" });
  readonly #bearings: Bearings;
  readonly #pane: Pane;
  readonly #context: Context;
  readonly #opened: Opened;
  readonly #copying: Copying;
  readonly #resized: ResizeObserver;
  readonly #searched: () => void;
  #hunted = false;
  #frame = 0;
  #closed = false;
  readonly #begun = performance.now();
  #ready = false;

  constructor(host: HTMLElement, sight: Sight, searched: () => void) {
    this.sight = sight;
    this.#searched = searched;
    this.#words = words(host);
    const label = this.#words(sight.merged ? "labelMerged" : "label");
    this.#view = make("div", { class: "log-view", role: "log", "aria-live": "off", tabindex: 0, "aria-label": label });
    this.#view.append(this.#body);
    const go = (offset: number) => this.goTo({ source: 0, offset }, "strip");
    const ways = { go, toEnd: () => this.toEnd(), toCause: () => this.toCause() };
    this.#bearings = new Bearings(sight, this.#words, ways);
    this.#pane = new Pane(this.#view, this.#body, this.#hooks());
    const note = (sentence: string) => this.#bearings.foot.note(sentence);
    const hold = () => !sight.feed.end && this.#follow(false);
    this.#copying = new Copying(this.#view, this.#body, this.#pane, sight, { words: this.#words, note, hold });
    this.#target = new Target(sight, this.#words, note);
    this.#opened = new Opened(this.#words);
    this.#context = contextOf(sight, this.#words, () => this.#target.place);
    const frame = make("div", { class: "log-frame" }, this.#view, this.#bearings.newer, this.#bearings.strip);
    this.element = make("div", { class: "log-pane" }, frame, this.#bearings.foot.element);
    this.#body.addEventListener("click", (event) => this.#clicked(event));
    this.#resized = new ResizeObserver(() => this.changed());
    this.#resized.observe(this.#view);
  }

  /** Connects, and goes where the address says. */
  async start(target: Place | undefined): Promise<void> {
    this.sight.feed.open();
    if (target) await this.goTo(target, "target");
  }

  close(): void {
    this.#closed = true;
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
    this.#copying.close();
    this.sight.search.stop();
    this.sight.feed.close();
    markFound(undefined, [], () => undefined);
  }

  focus(): void {
    this.#view.focus({ preventScroll: true });
  }

  /** Something is to be painted in the next frame. */
  changed(): void {
    if (this.#closed || this.#frame) return;
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  redraw(): void {
    this.#pane.redraw();
    this.changed();
  }

  toEnd(): void {
    this.#wanted = undefined;
    this.sight.feed.toEnd();
    this.#follow(true);
    this.changed();
  }

  /** The first row that can be seen. */
  get first(): Line | undefined {
    return this.#pane.seen()?.[0];
  }

  /** Goes to a place in the log, wherever it is; `why` says what is marked there. */
  async goTo(to: To, why: Why): Promise<void> {
    const { feed, merged } = this.sight;
    if (why === "strip" && !merged && "offset" in to && to.offset >= feed.size) return this.toEnd();
    const begun = performance.now();
    this.#wanted = to;
    this.#follow(false);
    try {
      const line = await jumpIn(this.sight, to);
      if (!this.#wanted) feed.toEnd();
      if (!line || this.#closed || this.#wanted !== to) return;
      if (why === "target") this.#target.set(line);
      this.#pane.redraw();
      this.#pane.goTo(feed.lines, line);
      this.#highlight();
      if (why === "found") this.#pane.reveal(currentMatch());
      this.#tell();
      if (why !== "strip") this.#bearings.foot.say(`${feed.numberOf(line) ?? ""} ${line.text.slice(0, 240)}`);
    } catch (fault) {
      this.#bearings.foot.note(failed(fault, this.#words));
    }
    painted("log-jump", begun);
  }

  toBegin(): void {
    this.goTo(this.sight.merged ? { at: 0 } : { source: 0, offset: 0 }, "strip");
  }

  /** The line that explains the end, if there is one. */
  toCause(): void {
    if (this.sight.cause) this.goTo(this.sight.cause, "target");
  }

  find(query: Query | undefined): void {
    query ? void this.sight.search.start(query) : this.sight.search.clear();
  }

  step(by: 1 | -1): void {
    const match = this.sight.search.step(by, this.first);
    if (match) this.goTo(match, "found");
  }

  /** The search has found something more, or nothing is sought any more: shown with the next frame. */
  found(): void {
    this.#hunted = true;
    this.#bearings.remark();
    this.changed();
  }

  /** A link to a row, or else to what was found last, or to the first that can be seen. */
  link(line?: Line): void {
    this.#target.link(line, this.first);
    this.redraw();
  }

  #hooks() {
    const { feed } = this.sight;
    return {
      draw: (element: HTMLElement, line: Line) => this.#draw(element, line),
      earlier: () => void feed.earlier(),
      later: () => void feed.later(),
      attached: () => feed.attached,
      follow: (on: boolean) => this.#follow(on),
      moved: () => this.#tell(),
      changing: () => this.#copying.selected.take(),
      changed: () => this.#copying.selected.show(),
    };
  }

  #draw(element: HTMLElement, line: Line): void {
    draw(element, line, this.#context);
    const box = this.#opened.boxOf(line);
    if (box) element.append(box);
  }

  #paint(): void {
    this.#frame = 0;
    const { feed } = this.sight;
    const more = feed.work(BUDGET);
    if (this.#pane.following !== feed.following) this.#pane.following = feed.following;
    this.element.classList.toggle("over", feed.end !== undefined);
    this.#pane.paint(feed.lines);
    this.#hunt();
    this.#highlight();
    this.#tell();
    this.#announce();
    if (more) this.changed();
  }

  /** There is something to show: rows, or a sentence why there are none. */
  #announce(): void {
    const { greeted, size, refusal } = this.sight.feed;
    if (this.#ready || !(this.#body.firstElementChild || refusal || (greeted && size === 0))) return;
    this.#ready = true;
    painted("log-open", this.#begun);
    this.element.dispatchEvent(new CustomEvent("log-ready", { bubbles: true }));
  }

  #hunt(): void {
    if (!this.#hunted) return;
    this.#hunted = false;
    const { search } = this.sight;
    if (search.query && search.at < 0 && search.count > 0) this.step(1);
    this.#searched();
  }

  #highlight(): void {
    const { search, feed } = this.sight;
    markFound(search, feed.lines.list.slice(...this.#pane.range()), (line) => this.#pane.elementOf(line));
  }

  #follow(on: boolean): void {
    const { feed } = this.sight;
    feed.following = on;
    this.#pane.following = on;
    if (on) feed.missed = 0;
    this.#tell();
  }

  #tell(): void {
    this.#bearings.tell(this.#pane, this.#view, this.#target.place);
  }

  #clicked(event: Event): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
    const line = row && this.#pane.lineOf(row);
    if (!row || !line || !(event.target instanceof Element)) return;
    if (event.target.closest(".no")) {
      event.preventDefault();
      this.link(line);
    } else if (event.target.closest("button.history")) this.#open(line);
  }

  async #open(line: Line): Promise<void> {
    const source = this.sight.sources[line.source];
    if (!source) return;
    this.#follow(false);
    await this.#opened.toggle(line, source);
    this.redraw();
  }
}
