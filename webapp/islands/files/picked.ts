import { make, type Words } from "../log/dom";
import type { Actions } from "./actions";
import type { Space } from "./api";
import { type Mount, notebookOf } from "./notebook";
import type { Rows } from "./rows";
import type { Buttons } from "./tools";
import { isArchive } from "./unpack";

type Place = {
  space: Space;
  rows: Rows;
  actions: Actions;
  path: string;
  writable: boolean;
  mount: Mount | undefined;
};

/** What can be done with what is chosen, above the rows for as long as something is. */
export class Picked {
  readonly element = make("div", { class: "picked", role: "status", hidden: true });
  readonly #words: Words;
  readonly #button: Buttons;

  constructor(words: Words, button: Buttons) {
    this.#words = words;
    this.#button = button;
  }

  show(place: Place): void {
    const { rows } = place;
    this.element.hidden = rows.chosen.size === 0;
    if (rows.chosen.size === 0) return;
    const quiet = (word: string, does: () => void) =>
      make("button", { class: "button quiet", type: "button", onclick: does }, this.#words(word));
    this.element.replaceChildren(
      make("span", {}, this.#words("selected", rows.chosen.size)),
      quiet("clear", () => rows.choose([])),
      quiet("all", () => rows.choose(rows.entries)),
      make("span", { class: "buttons push" }, this.#load(place), ...(place.writable ? this.#changing(place) : [])),
    );
  }

  #load({ space, rows, actions, mount }: Place): HTMLElement | undefined {
    const [one] = rows.chosen.values();
    if (!one || rows.chosen.size > 1 || (one.kind !== "file" && one.kind !== "folder")) return undefined;
    const folder = one.kind === "folder";
    const href = space.content(one.path, folder ? "tar" : "");
    const notebook = notebookOf(mount, one);
    return make(
      "span",
      { class: "buttons" },
      make("a", { class: "button", href, download: "" }, this.#words(folder ? "tar" : "download")),
      this.#button("share", "open", () => void actions.share(one)),
      notebook ? make("a", { class: "button", href: notebook }, this.#words("notebook")) : undefined,
    );
  }

  #changing({ rows, actions, path }: Place): HTMLElement[] {
    const chosen = [...rows.chosen.values()];
    const [one] = chosen;
    const archive = one && chosen.length === 1 && isArchive(one) ? one : undefined;
    return [
      ...(archive ? [this.#button("unpack", "folder", () => void actions.unpack(archive, path))] : []),
      ...(one && chosen.length === 1 ? [this.#button("rename", "code", () => void actions.rename(one))] : []),
      this.#button("move", "right", () => void actions.elsewhere(chosen, "move", path)),
      this.#button("copyTo", "copy", () => void actions.elsewhere(chosen, "copyTo", path)),
      this.#button("delete", "trash", () => void actions.remove(chosen), "danger"),
    ];
  }
}
