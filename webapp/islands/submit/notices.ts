/** What is to be said of what just happened, above the form: one thing at a time. */
export class Notices {
  readonly #place: () => HTMLElement;

  constructor(place: () => HTMLElement) {
    this.#place = place;
  }

  /** With a button that does something about it, and takes it away. */
  tell(words = "", tone: string, [label, act]: [string | undefined, () => void] = [undefined, () => {}]): void {
    const notice = document.createElement("div");
    notice.className = `notice ${tone}`;
    notice.dataset.of = "text";
    notice.setAttribute("role", tone === "bad" ? "alert" : "status");
    const text = document.createElement("p");
    text.textContent = words;
    notice.append(text);
    if (label) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = label;
      button.onclick = () => {
        act();
        notice.remove();
      };
      notice.append(button);
    }
    this.show(notice);
  }

  show(notice: Element): void {
    this.#place().replaceChildren(notice);
  }

  /** The text is another: what failed with the one before is no news any more. */
  outlived(): void {
    for (const notice of this.#place().querySelectorAll(".notice.bad, .notice.warning[data-of=text]")) notice.remove();
  }
}

/** Where a text could not be judged. */
export function verdictOf(words: string): HTMLElement {
  const verdict = document.createElement("div");
  verdict.className = "verdict warning";
  verdict.dataset.state = "unknown";
  const state = document.createElement("p");
  state.className = "state";
  const text = document.createElement("b");
  text.textContent = words;
  state.append(text);
  verdict.append(state);
  return verdict;
}
