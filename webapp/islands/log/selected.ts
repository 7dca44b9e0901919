import type { Line } from "./line";

/** A place between two characters of a row, wherever that row is by now. */
export interface Point {
  readonly source: number;
  /** Where the row begins in its log, and where it ends. */
  readonly from: number;
  readonly to: number;
  readonly column: number;
}

export interface Rows {
  /** Those on the page, from above to below. */
  shown(): Line[];
  lineOf(element: Element): Line | undefined;
  elementOf(line: Line): HTMLElement | undefined;
}

type Spot = [Node, number];

/** Whether a point lies in a row. */
export function lies({ source, from }: Point, line: Line): boolean {
  return source === line.source && (from === line.from || (from > line.from && from < line.to));
}

/** What somebody has selected, kept as places in the log: the rows it begins and ends in may leave the page and come back. */
export class Selected {
  #anchor: Point | undefined;
  #focus: Point | undefined;
  /** What the page showed as selected when it was last looked at. */
  #known: [Spot, Spot] | undefined;
  readonly #body: HTMLElement;
  readonly #rows: Rows;

  constructor(body: HTMLElement, rows: Rows) {
    this.#body = body;
    this.#rows = rows;
  }

  get ends(): [Point, Point] | undefined {
    return this.#anchor && this.#focus ? [this.#anchor, this.#focus] : undefined;
  }

  /** Takes up what somebody selected since the last time; to be called before rows come and go. */
  take(): void {
    const now = spots();
    if (!now || !this.#body.contains(now[0][0])) this.#anchor = this.#focus = this.#known = undefined;
    else {
      if (!same(now[0], this.#known?.[0])) this.#anchor = this.#point(now[0]);
      if (!same(now[1], this.#known?.[1])) this.#focus = this.#point(now[1]);
      this.#known = now;
    }
  }

  /** Shows what is selected among the rows that are there now. */
  show(): void {
    if (!this.#anchor || !this.#focus) return;
    const [anchor, focus] = [this.#spot(this.#anchor), this.#spot(this.#focus)];
    const now = spots();
    if (!anchor || !focus || (same(anchor, now?.[0]) && same(focus, now?.[1]))) return;
    document.getSelection()?.setBaseAndExtent(...anchor, ...focus);
    this.#known = spots();
  }

  select(anchor: Point, focus: Point): void {
    this.#anchor = anchor;
    this.#focus = focus;
    this.show();
  }

  #point([node, offset]: Spot): Point | undefined {
    const rows = this.#body.children;
    if (node === this.#body)
      return this.#at(rows[Math.min(offset, rows.length - 1)], offset < rows.length ? "start" : "end");
    const row = (node instanceof Element ? node : node.parentElement)?.closest(".row");
    if (row && this.#body.contains(row)) return this.#at(row, [node, offset]);
    // whoever went on beyond the rows has selected all on that side
    const below = this.#body.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    return below ? this.#at(rows[rows.length - 1], "end") : this.#at(rows[0], "start");
  }

  #at(row: Element | undefined, where: Spot | "start" | "end"): Point | undefined {
    const line = row && this.#rows.lineOf(row);
    const text = row?.querySelector(".text");
    if (!line || !text) return undefined;
    const { source, from, to } = line;
    const column = where === "start" ? 0 : columnOf(text, where === "end" ? [text, text.childNodes.length] : where);
    return { source, from, to, column };
  }

  #spot(point: Point): Spot | undefined {
    const shown = this.#rows.shown();
    const line = shown.find((one) => lies(point, one));
    if (line) return this.#spotIn(line, point.column);
    const near = shown.find(({ source }) => source === point.source);
    const above = near !== undefined && point.from < near.from;
    const edge = above ? shown[0] : shown.at(-1);
    return edge && this.#spotIn(edge, above ? 0 : Number.POSITIVE_INFINITY);
  }

  #spotIn(line: Line, column: number): Spot | undefined {
    const text = this.#rows.elementOf(line)?.querySelector(".text");
    return text ? spotOf(text, column) : undefined;
  }
}

function spots(): [Spot, Spot] | undefined {
  const { anchorNode, anchorOffset = 0, focusNode, focusOffset = 0 } = document.getSelection() ?? {};
  return anchorNode && focusNode
    ? [
        [anchorNode, anchorOffset],
        [focusNode, focusOffset],
      ]
    : undefined;
}

const same = (one: Spot, other: Spot | undefined) => one[0] === other?.[0] && one[1] === other[1];

/** Characters before a place in the text of a row, or beside it; a control that is shown by its name is one of them. */
function columnOf(text: Element, [node, offset]: Spot): number {
  const before = document.createRange();
  before.selectNodeContents(text);
  const side = before.comparePoint(node, offset);
  if (side < 0) return 0;
  if (side === 0) before.setEnd(node, offset);
  const part = before.cloneContents();
  return (part.textContent ?? "").length + part.querySelectorAll(".control").length;
}

function spotOf(text: Element, column: number): Spot {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let left = column;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Text && left <= node.data.length) return [node, left];
    if (node instanceof Text) left -= node.data.length;
    else if (node instanceof Element && node.classList.contains("control")) {
      if (left === 0) return [node, 0];
      left--;
    }
  }
  return [text, text.childNodes.length];
}
