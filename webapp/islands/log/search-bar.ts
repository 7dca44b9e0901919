import { type Controls, hold, pressed } from "./controls";
import { listed, make, type Words } from "./dom";
import type { Finding, Query } from "./search";

const PAUSE = 300;

/** Where one writes what to look for, and what has been found so far. */
export class SearchBar {
  readonly form: HTMLElement;
  readonly steps: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #count = make("span", { class: "count faint" });
  readonly #voice = make("span", { class: "unseen", role: "status" });
  readonly #words: Words;
  readonly #search: (query: Query | undefined) => void;
  readonly #step: (by: 1 | -1) => void;
  readonly #name: (source: number) => string;
  readonly #cased: HTMLButtonElement;
  readonly #regex: HTMLButtonElement;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #asked = "";
  #said = "";

  constructor(
    words: Words,
    controls: Controls,
    search: (query: Query | undefined) => void,
    step: (by: 1 | -1) => void,
    name: (source: number) => string,
  ) {
    this.#words = words;
    this.#search = search;
    this.#step = step;
    this.#name = name;
    this.input = make("input", {
      class: "input",
      type: "search",
      placeholder: words("search"),
      "aria-label": words("search"),
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
    });
    this.#cased = controls.toggle("Aa", words("cased"), () => this.#ask(true));
    this.#regex = controls.toggle(".*", words("regex"), () => this.#ask(true));
    this.form = make("form", { class: "log-search", role: "search" }, this.input, this.#cased, this.#regex);
    this.steps = make(
      "span",
      { class: "steps", hidden: true },
      this.#count,
      this.#voice,
      controls.button("up", words("previous"), () => step(-1)),
      controls.button("down", words("next"), () => step(1)),
    );
    this.form.addEventListener("submit", (event) => this.#submitted(event));
    this.input.addEventListener("input", (event) => this.#typed(event as InputEvent));
    this.input.addEventListener("keydown", (event) => this.#key(event));
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  /** Goes on with what was sought before, in another log. */
  resume(before: SearchBar): void {
    this.input.value = before.input.value;
    hold(this.#cased, pressed(before.#cased));
    hold(this.#regex, pressed(before.#regex));
    if (this.input.value) this.#ask(true);
  }

  get query(): Query | undefined {
    const words = this.input.value;
    return words ? { words, regex: pressed(this.#regex), cased: pressed(this.#cased) } : undefined;
  }

  found(search: Finding): void {
    this.steps.hidden = !search.query;
    const { count } = search;
    let said = this.#words("nothing");
    const { fault } = search;
    const why = fault?.key ? this.#words(fault.key) : fault?.said;
    if (fault && !fault.without) said = why ?? "";
    else if (count > 0) said = this.#words(search.more ? "countMore" : "count", search.at + 1, count);
    else if (search.running) said = this.#words("searching", Math.floor(search.part * 100));
    const without = fault?.without?.map((source) => this.#name(source));
    if (without) said += ` · ${this.#words("searchWithout", listed(without))}`;
    if (this.#count.textContent !== said) this.#count.textContent = said;
    this.#count.classList.toggle("bad", fault !== undefined);
    this.#count.title = fault?.said || why || "";
    if (!search.running) this.#say(said, search);
  }

  /** How a search ended and where a step has led; neither how far it is, nor that a log that grows holds some more. */
  #say(words: string, { query, at, count, fault }: Finding): void {
    const what = JSON.stringify([query, at, count === 0, fault]);
    if (what === this.#said) return;
    this.#said = what;
    this.#voice.textContent = query ? words : "";
  }

  #typed(event: InputEvent): void {
    clearTimeout(this.#typing);
    // while an input method is composing, what stands there are not yet the letters that are meant
    if (!event.isComposing) this.#typing = setTimeout(() => this.#ask(false), PAUSE);
  }

  #submitted(event: Event): void {
    event.preventDefault();
    this.#ask(false) || this.#step(1);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      this.#step(-1);
    } else if (event.key === "Escape" && this.input.value) {
      event.preventDefault();
      event.stopPropagation();
      this.input.value = "";
      this.#ask(false);
    }
  }

  /** Searches if something else is wanted than the last time. */
  #ask(again: boolean): boolean {
    clearTimeout(this.#typing);
    if (this.input.value === this.#asked && !again) return false;
    this.#asked = this.input.value;
    this.#search(this.query);
    return true;
  }
}
