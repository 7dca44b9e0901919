import { Controls, hold } from "./controls";
import { make, type Words } from "./dom";
import { type GoTo, goToSheet } from "./go-to";
import type { Query } from "./search";
import { SearchBar } from "./search-bar";

export interface Task {
  readonly label: string;
  readonly src: string;
}

export interface Options {
  readonly times: boolean;
  readonly wrap: boolean;
  readonly large: boolean;
}

export interface Actions extends GoTo {
  search(query: Query | undefined): void;
  step(by: 1 | -1): void;
  option(change: Partial<Options>): void;
  merge(all: boolean): void;
  /** What one of the merged logs is called. */
  nameOf(source: number): string;
}

export const ALL = "*";

/** The row of tools above the log. */
export class Tools {
  readonly element: HTMLElement;
  readonly search: SearchBar;
  readonly #words: Words;
  readonly #actions: Actions;
  readonly #controls: Controls;
  readonly #options: Record<keyof Options, HTMLButtonElement>;
  readonly #goTo: HTMLDetailsElement;

  constructor(words: Words, icons: string, actions: Actions) {
    const controls = new Controls(icons);
    this.#words = words;
    this.#actions = actions;
    this.#controls = controls;
    this.search = new SearchBar(words, controls, actions.search, actions.step, actions.nameOf);
    this.#options = {
      times: controls.toggle({ icon: "clock" }, words("times"), (times) => actions.option({ times })),
      wrap: controls.toggle({ icon: "wrap" }, words("wrap"), (wrap) => actions.option({ wrap })),
      large: controls.toggle({ icon: "expand" }, words("large"), (large) => actions.option({ large })),
    };
    this.#goTo = this.#places();
    this.element = make(
      "div",
      { class: "log-tools" },
      this.search.form,
      this.search.steps,
      ...Object.values(this.#options),
      this.#goTo,
    );
  }

  /** All tasks at once, or the one that the page has chosen. */
  merge(on: boolean): void {
    const button = this.#controls.toggle({ icon: "merge" }, this.#words("all"), (all) => this.#actions.merge(all));
    button.classList.replace("only-icon", "log-merge");
    button.append(this.#words("allShort"));
    hold(button, on);
    this.element.prepend(button);
    if (on) this.#goTo.classList.add("merged");
  }

  /** As it was printed or compressed, of every log that is shown. */
  downloads(logs: { label: string; raw: string; compressed: string }[]): void {
    const several = logs.length > 1;
    const sheet = make("div", { class: "menu-sheet log-downloads" });
    for (const { label, ...kinds } of logs) {
      if (several) sheet.append(make("b", { class: "small" }, label));
      for (const [kind, href] of Object.entries(kinds)) {
        const words = this.#words(kind);
        const of = several ? `${label}: ${words}` : undefined;
        sheet.append(
          make("a", { class: "entry", href, download: true, "data-turbo": "false", "aria-label": of }, words),
        );
      }
    }
    this.element.append(this.#controls.menu("download", this.#words("download"), sheet));
  }

  switches(options: Options): void {
    for (const [name, button] of Object.entries(this.#options)) hold(button, options[name as keyof Options]);
  }

  flip(which: keyof Options): void {
    this.#options[which].click();
  }

  goTo(): void {
    this.#goTo.open = true;
    this.#goTo.querySelector("input")?.focus();
  }

  #places(): HTMLDetailsElement {
    const { sheet, opened } = goToSheet(this.#words, this.#actions);
    const menu = this.#controls.menu("more", this.#words("goTo"), sheet);
    menu.addEventListener("toggle", () => menu.open && opened());
    return menu;
  }
}
