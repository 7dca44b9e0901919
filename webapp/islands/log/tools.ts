import { icon, make, type Words } from "./dom";
import type { Query, Search } from "./search";

export interface Task {
  readonly label: string;
  readonly src: string;
}

export interface Actions {
  search(query: Query | undefined): void;
  step(by: 1 | -1): void;
  times(on: boolean): void;
  wrap(on: boolean): void;
  toTime(at: number): void;
  toLine(line: number): void;
  choose(value: string): void;
}

export const ALL = "*";
const PAUSE = 300;

/** The row of tools above the log. */
export class Tools {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #count = make("output", { class: "count faint", "aria-live": "polite" });
  readonly #words: Words;
  readonly #actions: Actions;
  readonly #icons: string;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #asked = "";
  readonly #cased: HTMLButtonElement;
  readonly #regex: HTMLButtonElement;
  readonly #times: HTMLButtonElement;
  readonly #wrap: HTMLButtonElement;
  readonly #steps: HTMLElement;
  readonly #form: HTMLElement;
  readonly #goTo: HTMLElement;

  constructor(words: Words, icons: string, actions: Actions) {
    this.#words = words;
    this.#icons = icons;
    this.#actions = actions;
    this.input = make("input", {
      class: "input",
      type: "search",
      placeholder: words("search"),
      "aria-label": words("search"),
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "search",
    });
    this.#cased = this.#toggle("Aa", words("cased"), () => this.#ask(true));
    this.#regex = this.#toggle(".*", words("regex"), () => this.#ask(true));
    this.#times = this.#toggle(icon(icons, "clock"), words("times"), (on) => actions.times(on));
    this.#wrap = this.#toggle(icon(icons, "wrap"), words("wrap"), (on) => actions.wrap(on));
    this.#steps = make(
      "span",
      { class: "steps", hidden: true },
      this.#count,
      this.#button("up", words("previous"), () => actions.step(-1)),
      this.#button("down", words("next"), () => actions.step(1)),
    );
    this.#form = make("form", { class: "log-search", role: "search" }, this.input, this.#cased, this.#regex);
    this.#goTo = this.#places();
    this.#form.addEventListener("submit", (event) => this.#submitted(event));
    this.input.addEventListener("input", (event) => this.#typed(event as InputEvent));
    this.input.addEventListener("keydown", (event) => this.#key(event));
    this.element = make("div", { class: "log-tools" }, this.#form, this.#steps, this.#times, this.#wrap, this.#goTo);
  }

  /** A choice between the tasks of the job, and all of them at once. */
  tasks(tasks: Task[], current: string): void {
    const option = (value: string, label: string) => {
      const made = make("option", { value }, label);
      made.selected = value === current;
      return made;
    };
    const select = make(
      "select",
      { class: "log-task", "aria-label": this.#words("task") },
      ...tasks.map(({ src, label }) => option(src, label)),
      option(ALL, this.#words("all")),
    );
    select.addEventListener("change", () => this.#actions.choose(select.value));
    this.element.prepend(select);
  }

  downloads(raw: string, compressed: string): void {
    const links = make(
      "div",
      { class: "menu-sheet" },
      make("a", { class: "entry", href: raw, download: true, "data-turbo": "false" }, this.#words("raw")),
      make("a", { class: "entry", href: compressed, download: true, "data-turbo": "false" }, this.#words("compressed")),
    );
    this.element.append(this.#menu("download", this.#words("download"), links));
  }

  /** Over several logs at once there is no searching and no going anywhere. */
  whole(one: boolean): void {
    this.#times.hidden = this.#form.hidden = this.#goTo.hidden = !one;
  }

  switches({ times, wrap }: { times: boolean; wrap: boolean }): void {
    this.#times.setAttribute("aria-pressed", String(times));
    this.#wrap.setAttribute("aria-pressed", String(wrap));
  }

  flip(which: "times" | "wrap"): void {
    (which === "times" ? this.#times : this.#wrap).click();
  }

  /** Says what the search has found so far. */
  found(search: Search, size: number): void {
    this.#steps.hidden = !search.query;
    const count = search.matches.length;
    const part = size > 0 ? Math.floor((search.scanned / size) * 100) : 0;
    let said = this.#words("nothing");
    if (search.fault) said = search.fault;
    else if (count > 0) said = this.#words(search.more ? "countMore" : "count", search.current + 1, count);
    else if (search.running) said = this.#words("searching", part);
    if (this.#count.textContent !== said) this.#count.textContent = said;
    this.#count.classList.toggle("bad", search.fault !== undefined);
  }

  #typed(event: InputEvent): void {
    clearTimeout(this.#typing);
    // while an input method is composing, what stands there are not yet the letters that are meant
    if (!event.isComposing) this.#typing = setTimeout(() => this.#ask(false), PAUSE);
  }

  #submitted(event: Event): void {
    event.preventDefault();
    this.#ask(false) || this.#actions.step(1);
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Enter" && event.shiftKey) {
      event.preventDefault();
      this.#actions.step(-1);
    } else if (event.key === "Escape" && this.input.value) {
      event.preventDefault();
      this.input.value = "";
      this.#ask(false);
    }
  }

  /** Searches if something else is wanted than the last time. */
  #ask(again: boolean): boolean {
    clearTimeout(this.#typing);
    const words = this.input.value;
    if (words === this.#asked && !again) return false;
    this.#asked = words;
    const pressed = (button: HTMLButtonElement) => button.getAttribute("aria-pressed") === "true";
    this.#actions.search(words ? { words, regex: pressed(this.#regex), cased: pressed(this.#cased) } : undefined);
    return true;
  }

  #places(): HTMLElement {
    const time = make("input", { class: "input", type: "datetime-local", step: 1 });
    const line = make("input", { class: "input", type: "number", min: 1, inputmode: "numeric" });
    const part = (label: string, input: HTMLInputElement, go: (value: string) => void) => {
      const button = make("button", { class: "button", type: "submit" }, this.#words("go"));
      const form = make("form", { class: "field" }, make("label", {}, label, make("span", {}, input, button)));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (!input.value) return;
        form.closest("details")?.removeAttribute("open");
        go(input.value);
      });
      return form;
    };
    const sheet = make(
      "div",
      { class: "menu-sheet" },
      part(this.#words("toTime"), time, (value) => this.#actions.toTime(new Date(value).getTime())),
      part(this.#words("toLine"), line, (value) => this.#actions.toLine(Number(value))),
      make("p", { class: "faint small" }, this.#words("keys")),
    );
    return this.#menu("more", this.#words("goTo"), sheet);
  }

  #menu(name: string, label: string, sheet: HTMLElement): HTMLElement {
    const summary = make("summary", { class: "button quiet only-icon", title: label, "aria-label": label });
    summary.append(icon(this.#icons, name));
    const details = make("details", { class: "menu" }, summary, sheet);
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      summary.focus();
    });
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget instanceof Node && !details.contains(event.relatedTarget)) details.open = false;
    });
    return details;
  }

  #button(name: string, label: string, press: () => void): HTMLButtonElement {
    const button = make("button", {
      class: "button quiet only-icon",
      type: "button",
      title: label,
      "aria-label": label,
    });
    button.append(icon(this.#icons, name));
    button.addEventListener("click", press);
    return button;
  }

  #toggle(face: Node | string, label: string, press: (on: boolean) => void): HTMLButtonElement {
    const button = make(
      "button",
      { class: "button quiet only-icon", type: "button", "aria-pressed": "false", title: label, "aria-label": label },
      face,
    );
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      press(on);
    });
    return button;
  }
}
