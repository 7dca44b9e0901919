const MOST_ROWS = 100;

/** The list of jobs: how many are ticked, ticking all of them, and rows that stay where they belong while they change. */
class JobList extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener("change", this.#changed);
    this.addEventListener("keydown", this.#pressed);
    const all = this.#all();
    if (all) all.hidden = false;
    this.refresh();
  }

  disconnectedCallback(): void {
    this.removeEventListener("change", this.#changed);
    this.removeEventListener("keydown", this.#pressed);
  }

  /** Says again how many are ticked. */
  refresh(): void {
    const boxes = this.#boxes();
    const ticked = boxes.filter((box) => box.checked).length;
    const all = this.#all();
    if (all) {
      all.checked = ticked > 0 && ticked === boxes.length;
      all.indeterminate = ticked > 0 && ticked < boxes.length;
      all.disabled = boxes.length === 0;
    }
    const words = this.querySelector(".selected");
    if (words) words.textContent = ticked > 0 ? (this.getAttribute("words") ?? "").replace("#", String(ticked)) : "";
  }

  #all(): HTMLInputElement | null {
    return this.querySelector<HTMLInputElement>("thead input.all");
  }

  #boxes(): HTMLInputElement[] {
    return [...this.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]")];
  }

  #changed = (event: Event): void => {
    if (event.target === this.#all()) for (const box of this.#boxes()) box.checked = this.#all()?.checked ?? false;
    this.refresh();
  };

  #pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || this.querySelector(":popover-open")) return;
    for (const box of this.#boxes()) box.checked = false;
    this.refresh();
  };
}

/** Puts a row where one of its id is, or where its order belongs. A ticked box stays ticked, and what has the focus keeps it. */
export function place(rows: HTMLElement, coming: HTMLElement): void {
  const present = document.getElementById(coming.id);
  if (present) {
    const box = present.querySelector<HTMLInputElement>("input:checked");
    const comingBox = coming.querySelector<HTMLInputElement>("input[type=checkbox]");
    if (box && comingBox) comingBox.checked = true;
    const focused = present.contains(document.activeElement) ? document.activeElement : null;
    present.replaceWith(coming);
    if (focused) again(coming, focused)?.focus({ preventScroll: true });
  } else if (rows.dataset.newest) {
    const order = coming.dataset.order ?? "";
    const next = [...rows.children].find((row) => ((row as HTMLElement).dataset.order ?? "") < order);
    rows.insertBefore(coming, next ?? null);
    while (rows.children.length > MOST_ROWS) rows.lastElementChild?.remove();
  }
  rows.closest<JobList>("job-list")?.refresh();
}

function again(row: HTMLElement, before: Element): HTMLElement | null {
  const link = before.getAttribute("href");
  return row.querySelector<HTMLElement>(link ? `a[href="${CSS.escape(link)}"]` : "input[type=checkbox]");
}

customElements.define("job-list", JobList);
