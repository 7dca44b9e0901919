import { make, type Words } from "../log/dom";
import { type Deleted, decoded, type Space } from "./api";
import { sure } from "./dialogs";

/** What has been deleted, to be had back or to be gone for good. */
export class Bin {
  readonly #space: Space;
  readonly #words: Words;
  readonly #place: HTMLElement;
  readonly #failed: (failure: unknown) => void;
  readonly #when = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

  constructor(space: Space, words: Words, place: HTMLElement, failed: (failure: unknown) => void) {
    this.#space = space;
    this.#words = words;
    this.#place = place;
    this.#failed = failed;
  }

  /** How many days it is kept. */
  async show(): Promise<number> {
    const { deleted, days } = await this.#space.bin();
    this.#place.replaceChildren(
      deleted.length === 0
        ? make("p", { class: "empty" }, this.#words("binEmpty", days))
        : make("ul", { class: "list" }, ...deleted.map((one) => this.#row(one))),
    );
    return days;
  }

  #row(one: Deleted): HTMLElement {
    const button = (word: string, look: string, does: () => void) =>
      make(
        "button",
        { class: `button ${look}`, type: "button", onclick: does, "aria-label": `${this.#words(word)} ${one.name}` },
        this.#words(word),
      );
    return make(
      "li",
      {},
      make(
        "div",
        {},
        make("span", { class: "name" }, decoded(one.path)),
        make("p", { class: "faint small" }, this.#words("deletedAt", this.#when.format(one.deleted))),
      ),
      make(
        "span",
        { class: "buttons" },
        button("restore", "", () => void this.#do(() => this.#space.restore(one.id))),
        button("forget", "danger", () => void this.#forget(one)),
      ),
    );
  }

  async #forget(one: Deleted): Promise<void> {
    if (await sure(this.#words, this.#words("forgetAsk", one.name), this.#words("forget")))
      await this.#do(() => this.#space.forget(one.id));
  }

  async #do(step: () => Promise<void>): Promise<void> {
    try {
      await step();
      await this.show();
    } catch (failure) {
      this.#failed(failure);
    }
  }
}
