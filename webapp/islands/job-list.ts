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

/**
 * Puts a row where its order belongs, in place of one of its id. A ticked box stays ticked, and what has the focus keeps it; a
 * row with the focus stays where it is.
 */
export function place(rows: HTMLElement, coming: HTMLElement): void {
  const present = document.getElementById(coming.id);
  const focused = present?.contains(document.activeElement) ? document.activeElement : null;
  if (present) staysTicked(present, coming);
  if (present && (focused || orderOf(present) === orderOf(coming))) {
    present.replaceWith(coming);
    if (focused) again(coming, focused)?.focus({ preventScroll: true });
  } else {
    present?.remove();
    insert(rows, coming);
  }
  rows.closest<JobList>("job-list")?.refresh();
}

function staysTicked(present: Element, coming: Element): void {
  const box = present.querySelector<HTMLInputElement>("input:checked");
  const comingBox = coming.querySelector<HTMLInputElement>("input[type=checkbox]");
  if (box && comingBox) comingBox.checked = true;
}

function insert(rows: HTMLElement, coming: Element): void {
  if (!belongs(rows, coming)) return;
  const next = [...rows.children].find((row) => precedes(rows, orderOf(coming), orderOf(row)));
  rows.insertBefore(coming, next ?? null);
  while (rows.children.length > MOST_ROWS) rows.lastElementChild?.remove();
}

/** Between the first row and the last that the page came with; the first page has no beginning, and the last no end. */
function belongs(rows: HTMLElement, coming: Element): boolean {
  const order = orderOf(coming);
  const { from, to } = rows.dataset;
  return !(from && precedes(rows, order, from)) && !(to && precedes(rows, to, order));
}

const orderOf = (row: Element): string => (row as HTMLElement).dataset.order ?? "";

const precedes = (rows: HTMLElement, one: string, other: string): boolean =>
  rows.dataset.back ? one > other : one < other;

function again(row: HTMLElement, before: Element): HTMLElement | null {
  const link = before.getAttribute("href");
  return row.querySelector<HTMLElement>(link ? `a[href="${CSS.escape(link)}"]` : "input[type=checkbox]");
}

customElements.define("job-list", JobList);
