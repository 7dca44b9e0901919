import { make, type Words } from "../log/dom";

export function shown(title: string, body: HTMLElement[], answers: HTMLElement[]): HTMLDialogElement {
  const dialog = make("dialog", { class: "file-ask", "aria-label": title });
  const form = make(
    "form",
    { method: "dialog" },
    make("h2", {}, title),
    ...body,
    make("div", { class: "answers" }, ...answers),
  );
  dialog.append(form);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

export function answer(dialog: HTMLDialogElement): Promise<boolean> {
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes")));
}

export const no = (words: Words) =>
  make("button", { class: "button", type: "submit", value: "no", formnovalidate: true }, words("cancel"));

/** A line of text from whoever is there; undefined: they would rather not. */
export async function ask(
  words: Words,
  title: string,
  label: string,
  value: string,
  more: { required?: boolean; type?: string; min?: number; max?: number } = {},
): Promise<string | undefined> {
  const input = make("input", {
    class: "input",
    value,
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "none",
    required: true,
    ...more,
  });
  const field = make("label", { class: "field" }, make("span", {}, label), input);
  const yes = make("button", { class: "button primary", type: "submit", value: "yes" }, words("do"));
  const dialog = shown(title, [field], [no(words), yes]);
  // the first button of a form is what Enter means, and that would be the other one
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (input.reportValidity()) dialog.close("yes");
  });
  const dot = value.lastIndexOf(".");
  if (input.type === "text") input.setSelectionRange(0, dot > 0 ? dot : value.length);
  return (await answer(dialog)) ? input.value : undefined;
}

/** What is shown only now, to be taken along. */
export function tell(words: Words, title: string, label: string, value: string): void {
  const text = make("input", { class: "input", value, readonly: true, "aria-label": title });
  const copy = document.createElement("copy-button");
  copy.setAttribute("text", value);
  copy.setAttribute("label", words("copy"));
  copy.setAttribute("done", words("copied"));
  const close = make("button", { class: "button primary", type: "submit", value: "no" }, words("close"));
  shown(title, [make("p", {}, label), text], [copy, close]);
  text.select();
}

/** What somebody should not miss. */
export function say(words: Words, text: string): void {
  shown(text, [], [make("button", { class: "button primary", type: "submit", value: "no" }, words("close"))]);
}

export function sure(words: Words, question: string, does: string): Promise<boolean> {
  const yes = make("button", { class: "button danger primary", type: "submit", value: "yes" }, does);
  return answer(shown(question, [], [no(words), yes]));
}
