import { make, type Words, words } from "./dom";
import type { Feed } from "./feed";
import type { Line } from "./line";
import { copied, highlight, matchesIn } from "./marks";
import { Pane } from "./pane";
import { Reader } from "./reader";
import { type Context, draw } from "./row";
import { type Mark, Ruler } from "./ruler";
import { type Match, type Query, Search } from "./search";
import type { Source } from "./source";
import { states } from "./states";
import { saying } from "./status";
import type { Times } from "./times";

/** Of a frame, so much goes into making rows. */
const BUDGET = 8;
const QUIET = 5_000;

export interface Sight {
  readonly feed: Feed;
  /** Of one log; none where several are merged. */
  readonly source: Source | undefined;
  readonly times: Times | undefined;
  readonly cause: number | undefined;
  name(line: Line): string | undefined;
  permalink(line: Line): string | undefined;
  /** The search has found something more, or is at another match. */
  searched(search: Search): void;
}

/** One log on the page: rows, strip and status, kept current frame by frame. */
export class Viewer {
  readonly element: HTMLElement;
  readonly search: Search | undefined;
  /** The row that the address names. */
  target: number | undefined;
  readonly sight: Sight;
  readonly #words: Words;
  readonly #view: HTMLElement;
  readonly #body = make("div", { class: "log-rows" });
  readonly #newer: HTMLButtonElement;
  readonly #status = make("span", {});
  readonly #place = make("span", { class: "place faint" });
  readonly #voice = make("span", { class: "unseen", "aria-live": "polite" });
  readonly #pane: Pane;
  readonly #ruler: Ruler;
  readonly #context: Context;
  readonly #opened = new Map<Line, HTMLElement>();
  readonly #resized: ResizeObserver;
  #frame = 0;
  #closed = false;
  #spoken = 0;
  #heard = 0;
  readonly #begun = performance.now();
  #measured = false;

  constructor(host: HTMLElement, sight: Sight) {
    this.sight = sight;
    this.#words = words(host);
    this.#view = make("div", {
      class: "log-view",
      role: "log",
      "aria-live": "off",
      tabindex: 0,
      "aria-label": this.#words("label"),
    });
    this.#view.append(this.#body);
    this.#newer = make("button", { type: "button", class: "log-newer button", hidden: true });
    this.#newer.addEventListener("click", () => this.toEnd());
    this.#ruler = new Ruler(this.#words("strip"), (offset) => this.goTo(offset, "strip"));
    this.#pane = new Pane(this.#view, this.#body, this.#hooks());
    this.#context = this.#contextOf();
    this.search =
      sight.source &&
      new Search(
        sight.source,
        () => sight.feed.size,
        () => this.#found(),
      );
    const foot = make("footer", { class: "log-foot" }, this.#status, this.#place, this.#voice);
    const strip = sight.source ? this.#ruler.element : undefined;
    this.element = make(
      "div",
      { class: "log-pane" },
      make("div", { class: "log-frame" }, this.#view, this.#newer, strip),
      foot,
    );
    this.#body.addEventListener("click", (event) => this.#clicked(event));
    this.#view.addEventListener("copy", (event) => this.#copy(event));
    this.#resized = new ResizeObserver(() => this.changed());
    this.#resized.observe(this.#view);
  }

  get rows(): HTMLElement {
    return this.#view;
  }

  /** Connects, and goes where the address says. */
  async start(target: number | undefined): Promise<void> {
    this.sight.feed.open();
    if (target === undefined) return;
    this.target = target;
    await this.goTo(target, "target");
  }

  close(): void {
    this.#closed = true;
    cancelAnimationFrame(this.#frame);
    this.#resized.disconnect();
    this.search?.stop();
    this.sight.feed.close();
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
    this.sight.feed.toEnd();
    this.#follow(true);
    this.#pane.following = true;
    this.changed();
  }

  /** Goes to a place in the log, wherever it is; `why` says what is marked there. */
  async goTo(offset: number, why: "strip" | "target" | "found" | "time"): Promise<void> {
    const { feed } = this.sight;
    if (!(feed instanceof Reader)) return;
    if (why === "strip" && offset >= feed.size) return this.toEnd();
    const begun = performance.now();
    this.#follow(false);
    const line = await feed.jump(offset);
    if (!line || this.#closed) return;
    if (why === "target" || why === "time") this.target = line.from;
    this.#pane.redraw();
    this.#pane.goTo(feed.lines, line);
    this.#highlight();
    this.#tell();
    performance.measure("log-jump", { start: begun, end: performance.now() });
  }

  async find(query: Query | undefined): Promise<void> {
    if (!query) return this.search?.clear();
    await this.search?.start(query);
  }

  step(by: 1 | -1): void {
    const match = this.search?.step(by, this.#pane.seen()?.[0].from ?? 0);
    if (match) this.goTo(match.offset, "found");
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
    };
  }

  #contextOf(): Context {
    const { feed, times, cause } = this.sight;
    const holds = (line: Line, offset: number | undefined) =>
      offset !== undefined && offset >= line.from && (offset < line.to || offset === line.from);
    return {
      words: this.#words,
      number: (line) => feed.lines.numberOf(line),
      time: (line) => (times?.wanted ? (line.at ?? times.at(line.from)) : undefined),
      link: (line) => this.sight.permalink(line),
      source: (line) => this.sight.name(line),
      marks: (line) => [
        ...(holds(line, cause) ? ["cause"] : []),
        ...(holds(line, this.target) ? ["target"] : []),
        ...(line.continued ? ["continued"] : []),
        ...(this.#current && holds(line, this.#current.offset) ? ["found"] : []),
      ],
    };
  }

  get #current(): Match | undefined {
    return this.search?.matches[this.search.current];
  }

  #draw(element: HTMLElement, line: Line): void {
    draw(element, line, this.#context);
    const box = this.#opened.get(line);
    if (box) element.append(box);
  }

  #paint(): void {
    this.#frame = 0;
    const { feed, times } = this.sight;
    const before = feed.lines;
    const more = feed.work(BUDGET);
    if (before !== feed.lines) this.#opened.clear();
    if (this.#pane.following !== feed.following) this.#pane.following = feed.following;
    this.#pane.paint(feed.lines);
    const first = feed.lines.list[0];
    if (times?.wanted && first) times.ensure(first.from, feed.lines.list.at(-1)?.to ?? first.from);
    this.#highlight();
    this.#tell();
    this.#opening();
    if (more) this.changed();
  }

  #opening(): void {
    if (this.#measured || !this.#body.firstElementChild) return;
    this.#measured = true;
    performance.measure("log-open", { start: this.#begun, end: performance.now() });
    this.element.dispatchEvent(new CustomEvent("log-ready", { bubbles: true }));
  }

  #found(): void {
    if (!this.search) return;
    this.sight.searched(this.search);
    if (this.search.query && this.search.current < 0 && this.search.matches.length > 0) this.step(1);
    this.#highlight();
    this.#tell();
  }

  #highlight(): void {
    const { search } = this;
    if (!search?.query) {
      highlight([], undefined);
      return;
    }
    const rows = this.sight.feed.lines.list
      .slice(...this.#pane.range())
      .map((line) => ({ element: this.#pane.elementOf(line), matches: matchesIn(search, line) }));
    highlight(
      rows.filter((row): row is { element: HTMLElement; matches: Match[] } => !!row.element && row.matches.length > 0),
      this.#current,
    );
  }

  #follow(on: boolean): void {
    const { feed } = this.sight;
    feed.following = on;
    if (on) feed.missed = 0;
    this.#tell();
  }

  /** Says how things stand: below, in the strip, and now and then aloud. */
  #tell(): void {
    const { feed } = this.sight;
    const said = saying(feed, this.#words);
    if (this.#status.textContent !== said.words) this.#status.textContent = said.words;
    this.#status.className = said.tone;
    const newer = feed.following || feed.missed === 0 ? "" : this.#words("newer", feed.missed);
    this.#newer.hidden = feed.following || (feed.missed === 0 && feed.attached && this.#pane.atBottom);
    const label = newer || this.#words("toEnd");
    if (this.#newer.textContent !== label) this.#newer.textContent = label;
    const seen = this.#pane.seen();
    if (seen) this.#ruler.place(seen[0].from, feed.following ? feed.size : seen[1].to, feed.size);
    this.#ruler.mark(this.#marksOnStrip());
    this.#speak();
  }

  #marksOnStrip(): Mark[] {
    const { cause, source } = this.sight;
    const marks: Mark[] = [];
    for (const { offset } of this.search?.matches ?? []) marks.push({ offset, kind: "found" });
    for (const { from } of source?.gaps ?? []) marks.push({ offset: from, kind: "hole" });
    if (cause !== undefined) marks.push({ offset: cause, kind: "cause" });
    if (this.target !== undefined) marks.push({ offset: this.target, kind: "target" });
    return marks;
  }

  /** Somebody who listens hears how much has come and how it ends, not every line. */
  #speak(): void {
    const { lines, following } = this.sight.feed;
    const count = lines.list.length + lines.dropped;
    const now = performance.now();
    if (!following || now - this.#spoken < QUIET || !this.#view.contains(document.activeElement)) return;
    if (count > this.#heard && this.#heard > 0)
      this.#voice.textContent = this.#words("aloud", count - this.#heard, lines.list.at(-1)?.text.slice(0, 160) ?? "");
    this.#heard = count;
    this.#spoken = now;
  }

  #clicked(event: Event): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>(".row") : null;
    const line = row && this.sight.feed.lines.list.find((known) => this.#pane.elementOf(known) === row);
    if (!row || !line || !(event.target instanceof Element)) return;
    if (event.target.closest(".no")) {
      event.preventDefault();
      this.target = line.from;
      history.replaceState(history.state, "", this.sight.permalink(line));
      this.redraw();
    } else if (event.target.closest("button.history")) this.#open(line);
  }

  async #open(line: Line): Promise<void> {
    const { source } = this.sight;
    if (this.#opened.delete(line) || !source) return this.redraw();
    this.#follow(false);
    this.#pane.following = false;
    this.#opened.set(line, await states(line, source, this.#words));
    this.redraw();
  }

  #copy(event: ClipboardEvent): void {
    const selection = document.getSelection();
    const text = selection && copied(this.#body, selection);
    if (text === undefined || text === null) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", text);
  }
}
