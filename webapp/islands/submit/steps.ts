import type { Editor } from "./editor";

/** Undo and redo of the text wherever somebody is: in the form a browser would only undo its own fields. */
export class Steps {
  readonly #within: HTMLElement;
  readonly #editor: Editor;

  constructor(within: HTMLElement, editor: Editor) {
    this.#within = within;
    this.#editor = editor;
    within.addEventListener("keydown", this.#pressed);
    within.addEventListener("beforeinput", this.#input);
    for (const button of this.#buttons()) button.addEventListener("click", this.#clicked);
    this.show();
  }

  stop(): void {
    this.#within.removeEventListener("keydown", this.#pressed);
    this.#within.removeEventListener("beforeinput", this.#input);
    for (const button of this.#buttons()) button.removeEventListener("click", this.#clicked);
  }

  /** Which of them there are. */
  show(): void {
    for (const button of this.#buttons())
      button.disabled = button.name === "undo" ? !this.#editor.canUndo : !this.#editor.canRedo;
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.#within.querySelectorAll<HTMLButtonElement>("button[name=undo], button[name=redo]")];
  }

  #clicked = (event: Event): void => this.#go((event.currentTarget as HTMLButtonElement).name === "redo");

  #pressed = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !isShared(event.target as Element)) return;
    const key = event.key.toLowerCase();
    const redo = key === "y" || (key === "z" && event.shiftKey);
    if (!redo && key !== "z") return;
    event.preventDefault();
    this.#go(redo);
  };

  /** By the menu of a field. */
  #input = (event: InputEvent): void => {
    if (!event.inputType.startsWith("history") || !isShared(event.target as Element)) return;
    event.preventDefault();
    this.#go(event.inputType === "historyRedo");
  };

  #go(redo: boolean): void {
    if (redo) this.#editor.redo();
    else this.#editor.undo();
  }
}

/** What is not in the text yet, a new name of a role or a row without one, is the browser's to undo. */
function isShared(target: Element): boolean {
  if (!target.closest("job-form")) return false;
  const role = target.closest<HTMLElement>("[data-kind=role]");
  if (role && target instanceof HTMLInputElement)
    return target.value === target.closest<HTMLElement>("section.role")?.dataset.at;
  const row = target.closest(".pairs li");
  return row?.querySelector("input")?.value.trim() !== "";
}
