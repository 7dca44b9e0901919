import { amount, icon, make, type Words } from "../log/dom";
import type { Entry } from "./api";

const BESIDE = 12;

export type Doing = {
  href: (entry: Entry) => string;
  open: (entry: Entry) => void;
  chosen: () => void;
  /** Nearly at the end of what has been loaded. */
  more: () => void;
};

const ICONS = { folder: "folder", file: "file", link: "open", other: "plug" };

/** As many rows as can be seen, of however many there are. */
export class Rows {
  readonly element = make("div", { class: "file-rows", tabindex: "0", role: "table" });
  readonly chosen = new Map<string, Entry>();
  readonly #space = make("div", { class: "file-space", role: "rowgroup" });
  readonly #words: Words;
  readonly #doing: Doing;
  readonly #sprite: string;
  #entries: Entry[] = [];
  #drawn = new Map<number, HTMLElement>();
  #height = 41;
  readonly #time: Intl.DateTimeFormat;

  constructor(words: Words, sprite: string, doing: Doing) {
    this.#words = words;
    this.#sprite = sprite;
    this.#doing = doing;
    this.#time = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    this.element.append(this.#space);
    this.element.setAttribute("aria-label", words("title"));
    this.element.addEventListener("scroll", () => this.draw(), { passive: true });
    this.element.addEventListener("keydown", this.#key);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  show(entries: Entry[], keep: boolean): void {
    this.#entries = entries;
    if (!keep) {
      this.chosen.clear();
      this.element.scrollTop = 0;
    }
    for (const row of this.#drawn.values()) row.remove();
    this.#drawn.clear();
    this.#height = matchMedia("(pointer: coarse)").matches ? 53 : 41;
    this.#space.style.height = `${entries.length * this.#height}px`;
    this.element.style.maxHeight = "";
    this.draw();
  }

  draw(): void {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.#height) - BESIDE);
    const seen = Math.ceil((this.element.clientHeight || 600) / this.#height);
    const end = Math.min(this.#entries.length, first + seen + 2 * BESIDE);
    for (const [at, row] of this.#drawn) {
      if (at >= first && at < end) continue;
      row.remove();
      this.#drawn.delete(at);
    }
    for (let at = first; at < end; at++) {
      const entry = this.#entries[at];
      if (!entry || this.#drawn.has(at)) continue;
      const row = this.#row(entry);
      row.style.top = `${at * this.#height}px`;
      row.setAttribute("aria-rowindex", String(at + 1));
      this.#drawn.set(at, row);
      this.#space.append(row);
    }
    if (end > this.#entries.length - 2 * BESIDE) this.#doing.more();
  }

  choose(entries: readonly Entry[]): void {
    this.chosen.clear();
    for (const entry of entries) this.chosen.set(entry.path, entry);
    for (const row of this.#drawn.values()) row.remove();
    this.#drawn.clear();
    this.draw();
    this.#doing.chosen();
  }

  #row(entry: Entry): HTMLElement {
    const pick = make("input", { type: "checkbox", "aria-label": entry.name });
    pick.checked = this.chosen.has(entry.path);
    pick.addEventListener("change", () => {
      if (pick.checked) this.chosen.set(entry.path, entry);
      else this.chosen.delete(entry.path);
      this.#doing.chosen();
    });
    const opens = entry.kind === "folder" || entry.kind === "file";
    const name = make(opens ? "a" : "span", { class: "name", title: entry.name }, entry.name);
    if (name instanceof HTMLAnchorElement) {
      name.href = this.#doing.href(entry);
      name.addEventListener("click", (event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        this.#doing.open(entry);
      });
    }
    const size = entry.size === null ? this.#words(entry.kind) : amount(entry.size);
    return make(
      "div",
      { class: `file-row ${entry.kind}`, role: "row" },
      make("span", { role: "cell", class: "pick" }, pick),
      make("span", { role: "cell", class: "what" }, icon(this.#sprite, ICONS[entry.kind]), name),
      make("span", { role: "cell", class: "size" }, size),
      make("span", { role: "cell", class: "when" }, this.#time.format(entry.modified)),
    );
  }

  #key = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const names = [...this.#space.querySelectorAll<HTMLElement>("a.name")].sort(
      (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
    );
    const at = names.indexOf(document.activeElement as HTMLElement);
    const next = names[event.key === "ArrowDown" ? at + 1 : Math.max(0, at - 1)];
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
}
