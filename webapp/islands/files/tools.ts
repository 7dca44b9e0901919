import { icon, make, type Words } from "../log/dom";
import type { Actions } from "./actions";
import { type Chosen, pick } from "./finding";

/** Makes buttons of one page: a picture and its word. */
export type Buttons = (word: string, picture: string, does: () => void, look?: string) => HTMLElement;

export function buttons(words: Words, sprite: string): Buttons {
  return (word, picture, does, look = "") =>
    make("button", { class: `button ${look}`, type: "button", onclick: does }, icon(sprite, picture), words(word));
}

/** What puts something new into a folder. */
export function making(
  button: Buttons,
  actions: Actions,
  path: () => string,
  take: (chosen: Chosen) => void,
): HTMLElement[] {
  return [
    button("upload", "up", () => pick(false, take), "primary"),
    button("uploadFolder", "up", () => pick(true, take), "wide-only"),
    button("newFolder", "plus", () => void actions.make("newFolder", path())),
    button("newFile", "plus", () => void actions.make("newFile", path()), "wide-only"),
  ];
}
