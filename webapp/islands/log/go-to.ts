import { make, type Words } from "./dom";

export interface GoTo {
  toTime(at: number): void;
  toLine(line: number): void;
  help(): void;
  /** When what can be seen was printed, where that is known. */
  shownTime(): Promise<number | undefined>;
}

/** Where one says to which time or line to go; `opened` fills in the time of what can be seen. */
export function goToSheet(words: Words, actions: GoTo): { sheet: HTMLElement; opened: () => Promise<void> } {
  const time = make("input", { class: "input", type: "datetime-local", step: 1 });
  const line = make("input", { class: "input", type: "number", min: 1, inputmode: "numeric" });
  const part = (name: string, input: HTMLInputElement, go: (value: string) => void) => {
    const button = make("button", { class: "button", type: "submit" }, words("go"));
    const label = make("label", {}, words(name), make("span", {}, input, button));
    const form = make("form", { class: `field ${name}` }, label);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!input.value) return;
      form.closest("details")?.removeAttribute("open");
      go(input.value);
    });
    return form;
  };
  const keys = make("button", { class: "button quiet", type: "button" }, words("keys"));
  keys.addEventListener("click", () => {
    keys.closest("details")?.removeAttribute("open");
    actions.help();
  });
  const sheet = make(
    "div",
    { class: "menu-sheet" },
    part("toTime", time, (value) => actions.toTime(new Date(value).getTime())),
    part("toLine", line, (value) => actions.toLine(Number(value))),
    keys,
  );
  let filled = "";
  const opened = async () => {
    const at = await actions.shownTime();
    if (at === undefined || time.value !== filled) return;
    time.value = local(at);
    filled = time.value;
  };
  return { sheet, opened };
}

/** As a field for a time of the browser's own clock takes it. */
function local(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
