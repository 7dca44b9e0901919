import type { Line } from "./line";
import type { Lines } from "./lines";

/** Rows in the page: a few screens of them, whatever the size of the log. */
const ROWS = 200;
const ROW = 18;
/** Above those that can be seen at the end: somebody who scrolls up must get somewhere. */
const SPARE = 30;
const STEP = 80;
const NEAR = 4;
const AWAY = 24;
/** The numbers, below which the text goes when it is scrolled. */
const BESIDE = 72;

export interface Hooks {
  draw(element: HTMLElement, line: Line): void;
  /** More rows are wanted above or below those in memory. */
  earlier(): void;
  later(): void;
  /** Whoever reads has left the end, or is back. */
  follow(follows: boolean): void;
  /** The rows in memory reach to the newest byte. */
  attached(): boolean;
  moved(): void;
  /** Rows come and go now, or have. */
  changing(): void;
  changed(): void;
}

/** Shows a window of rows, and moves it over the rows in memory as somebody scrolls. */
export class Pane {
  following = true;
  #lines: Lines | undefined;
  /** Of the first row shown, counted with those that are gone from memory. */
  #first = 0;
  #set = 0;
  #epoch = 0;
  readonly #drawn = new Map<Line, { element: HTMLElement; version: string }>();
  readonly #of = new WeakMap<Element, Line>();
  readonly #view: HTMLElement;
  readonly #body: HTMLElement;
  readonly #hooks: Hooks;

  constructor(view: HTMLElement, body: HTMLElement, hooks: Hooks) {
    this.#view = view;
    this.#body = body;
    this.#hooks = hooks;
    view.addEventListener("scroll", () => this.#scrolled(), { passive: true });
  }

  /** Everything has to be drawn again: something that all rows show has changed. */
  redraw(): void {
    this.#epoch++;
  }

  paint(lines: Lines): void {
    const replaced = lines !== this.#lines;
    this.#lines = lines;
    const count = lines.list.length;
    if (this.following) {
      this.#first = Math.max(0, count - this.#followed) + lines.dropped;
      this.#show();
      this.#toBottom();
      return;
    }
    if (replaced) this.#first = lines.dropped;
    this.#first = Math.max(this.#first, lines.dropped);
    this.#keepingPlace(() => this.#show());
    // whoever has come to the edge meanwhile can not scroll on, and so says nothing more
    this.#near();
  }

  /** Brings a row to the upper third of the window. */
  goTo(lines: Lines, line: Line): void {
    this.following = false;
    this.#lines = lines;
    const index = Math.max(0, lines.list.indexOf(line));
    this.#first = Math.max(0, Math.min(index - ROWS / 2, lines.list.length - ROWS)) + lines.dropped;
    this.#show();
    const element = this.#drawn.get(line)?.element;
    if (element) this.#scrollTo(element.offsetTop - this.#view.clientHeight / 3);
    this.#near();
  }

  /** Scrolls within a row that is wider or longer than the window. */
  reveal(place: DOMRect | undefined): void {
    if (!place) return;
    const { left, right, top, bottom } = place;
    const window = this.#view.getBoundingClientRect();
    if (left < window.left + BESIDE || right > window.right - AWAY)
      this.#view.scrollLeft += left - window.left - window.width / 2;
    if (top < window.top || bottom > window.bottom - AWAY)
      this.#scrollTo(this.#view.scrollTop + top - window.top - window.height / 3);
  }

  /** Which of the rows in memory are on the page. */
  range(): [number, number] {
    const index = this.#first - (this.#lines?.dropped ?? 0);
    return [Math.max(0, index), Math.max(0, index + this.#drawn.size)];
  }

  elementOf(line: Line): HTMLElement | undefined {
    return this.#drawn.get(line)?.element;
  }

  lineOf(element: Element): Line | undefined {
    return this.#of.get(element);
  }

  /** The rows on the page. */
  shown(): Line[] {
    return this.#lines?.list.slice(...this.range()) ?? [];
  }

  /** The first and the last row that can be seen. */
  seen(): [Line, Line] | undefined {
    const top = this.#view.scrollTop;
    const bottom = top + this.#view.clientHeight;
    const inside = this.shown().filter((line) => {
      const element = this.#drawn.get(line)?.element;
      return element && element.offsetTop + element.offsetHeight > top && element.offsetTop < bottom;
    });
    const [first, last] = [inside[0], inside.at(-1)];
    return first && last ? [first, last] : undefined;
  }

  get #followed(): number {
    return Math.min(ROWS, Math.ceil(this.#view.clientHeight / ROW) + SPARE);
  }

  get atBottom(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    return this.#atEnd() && scrollHeight - clientHeight - scrollTop < NEAR;
  }

  #scrollTo(top: number): void {
    this.#view.scrollTop = top;
    this.#set = this.#view.scrollTop;
  }

  #toBottom(): void {
    this.#scrollTo(this.#view.scrollHeight);
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    const below = scrollHeight - clientHeight - scrollTop;
    const up = scrollTop < this.#set - NEAR;
    this.#set = scrollTop;
    if (this.following) {
      // a window that became smaller is not somebody who scrolls
      if (below > AWAY && up) this.#let(false);
    } else if (below < NEAR && !up && this.#atEnd() && this.#hooks.attached()) this.#let(true);
    if (!this.following) this.#near();
    this.#hooks.moved();
  }

  #let(follow: boolean): void {
    this.following = follow;
    this.#hooks.follow(follow);
  }

  /** Moves the window where its edge comes near. */
  #near(): void {
    const lines = this.#lines;
    if (!lines) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    const index = this.#first - lines.dropped;
    if (scrollTop < clientHeight) {
      if (index > 0) this.#shift(-Math.min(STEP, index));
      else this.#hooks.earlier();
    }
    if (scrollHeight - clientHeight - scrollTop < clientHeight) {
      const left = lines.list.length - (this.#first - lines.dropped) - ROWS;
      if (left > 0) this.#shift(Math.min(STEP, left));
      else if (!this.#hooks.attached()) this.#hooks.later();
    }
  }

  #atEnd(): boolean {
    const lines = this.#lines;
    return lines !== undefined && this.#first - lines.dropped + ROWS >= lines.list.length;
  }

  #shift(by: number): void {
    this.#first += by;
    this.#keepingPlace(() => this.#show());
  }

  /** What stands in the window stays where it is, whatever comes and goes around it. */
  #keepingPlace(change: () => void): void {
    const top = this.#view.scrollTop;
    let kept: HTMLElement | undefined;
    let distance = 0;
    for (const child of this.#body.children) {
      if (!(child instanceof HTMLElement) || child.offsetTop + child.offsetHeight <= top) continue;
      kept = child;
      distance = child.offsetTop - top;
      break;
    }
    change();
    if (kept?.isConnected) this.#scrollTo(kept.offsetTop - distance);
  }

  #show(): void {
    const lines = this.#lines;
    if (!lines) return;
    this.#hooks.changing();
    const index = this.#first - lines.dropped;
    const wanted = lines.list.slice(index, index + (this.following ? this.#followed : ROWS));
    const staying = new Set(wanted);
    for (const [line, { element }] of this.#drawn)
      if (!staying.has(line)) {
        element.remove();
        this.#drawn.delete(line);
      }
    let next = this.#body.firstElementChild;
    for (const line of wanted) {
      const element = this.#row(line);
      if (element === next) next = element.nextElementSibling;
      else this.#body.insertBefore(element, next);
    }
    this.#hooks.changed();
  }

  #row(line: Line): HTMLElement {
    const version = `${line.version} ${this.#epoch} ${this.#lines?.epoch}`;
    const known = this.#drawn.get(line);
    if (known?.version === version) return known.element;
    const element = known?.element ?? document.createElement("div");
    this.#hooks.draw(element, line);
    this.#drawn.set(line, { element, version });
    this.#of.set(element, line);
    return element;
  }
}
