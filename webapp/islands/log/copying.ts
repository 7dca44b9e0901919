import { amount, type Words } from "./dom";
import type { Line } from "./line";
import { Lines } from "./lines";
import { lies, type Point, type Rows, Selected } from "./selected";
import type { Sight } from "./sight";
import type { Source } from "./source";
import { failed } from "./status";
import { Terminal } from "./terminal";

/** So much of a log is copied at most; whoever wants more downloads it. */
const MOST = 16 << 20;

interface Told {
  readonly words: Words;
  note(sentence: string): void;
  /** Rows are not to move away now. */
  hold(): void;
}

/** Copies what is selected as the task printed it: no numbers, no times, no line breaks that are not its own, and also what is not on the page. */
export class Copying {
  /** What was fetched and could not be put into the clipboard without being asked for again. */
  #ready: { ends: [Point, Point]; text: string } | undefined;
  readonly selected: Selected;
  readonly #body: HTMLElement;
  readonly #sight: Sight;
  readonly #told: Told;

  constructor(view: HTMLElement, body: HTMLElement, rows: Rows, sight: Sight, told: Told) {
    this.selected = new Selected(body, rows);
    this.#body = body;
    this.#sight = sight;
    this.#told = told;
    view.addEventListener("copy", (event) => this.#copy(event));
    view.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("selectionchange", this.#chosen);
  }

  close(): void {
    document.removeEventListener("selectionchange", this.#chosen);
  }

  /** What somebody selects stays under their hand. */
  #chosen = (): void => {
    const selection = document.getSelection();
    const here = selection && !selection.isCollapsed && this.#body.contains(selection.anchorNode);
    if (here && this.#sight.feed.following) this.#told.hold();
  };

  #key(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "a") return;
    event.preventDefault();
    this.#told.hold();
    this.#selectAll();
  }

  /** All that there is by now. */
  #selectAll(): void {
    const { feed, merged } = this.#sight;
    const [first, last] = [feed.lines.list[0], feed.lines.list.at(-1)];
    if (!first || !last) return;
    const column = Number.POSITIVE_INFINITY;
    if (merged) this.selected.select({ ...first, column: 0 }, { ...last, column });
    else
      this.selected.select(
        { source: 0, from: 0, to: 0, column: 0 },
        { source: 0, from: feed.size - 1, to: feed.size, column },
      );
  }

  #copy(event: ClipboardEvent): void {
    this.selected.take();
    const { ends } = this.selected;
    if (!ends) return;
    event.preventDefault();
    const text = this.#inMemory(...ends) ?? (this.#isReady(ends) ? this.#ready?.text : undefined);
    if (text !== undefined) event.clipboardData?.setData("text/plain", text);
    else this.#fetch(ends);
  }

  #isReady(ends: [Point, Point]): boolean {
    return this.#ready?.ends.every((end, i) => end.from === ends[i]?.from && end.column === ends[i]?.column) ?? false;
  }

  #inMemory(one: Point, other: Point): string | undefined {
    const { list } = this.#sight.feed.lines;
    const at = (point: Point) => list.findIndex((line) => lies(point, line));
    const [from, to] = [at(one), at(other)];
    if (from < 0 || to < 0) return undefined;
    const swap = from > to || (from === to && one.column > other.column);
    return swap ? textOf(list.slice(to, from + 1), other, one) : textOf(list.slice(from, to + 1), one, other);
  }

  async #fetch(ends: [Point, Point]): Promise<void> {
    const { words, note } = this.#told;
    const [first, last] = ends[0].from <= ends[1].from ? ends : [ends[1], ends[0]];
    const source = this.#sight.sources[0];
    const size = last.to - first.from;
    if (this.#sight.merged || !source) note(words("copyMerged"));
    else if (size > MOST) note(words("copyTooLarge", amount(size), amount(MOST)));
    else
      try {
        const list = await rowsOf(source, first.from, last.to);
        const end = list.findIndex((line) => lies(last, line));
        const text = textOf(end < 0 ? list : list.slice(0, end + 1), first, last);
        this.#ready = { ends, text };
        note(words((await put(text)) ? "copied" : "copyAgain", amount(text.length)));
      } catch (fault) {
        note(failed(fault, words));
      }
  }
}

/** Needs a moment in which somebody has just pressed something, and for the newer way a page that came over TLS or from this machine. */
async function put(text: string): Promise<boolean> {
  const written = navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return (await written) || document.execCommand("copy");
}

function textOf(lines: Line[], first: Point, last: Point): string {
  const kept = lines.filter(({ hole }) => !hole);
  const begin = kept[0];
  let text = "";
  for (const line of kept) {
    if (line !== begin && !line.continued) text += "\n";
    const from = line === lines[0] ? first.column : 0;
    const to = line === lines.at(-1) ? last.column : undefined;
    text += line.text.slice(from, to);
  }
  return text;
}

/** The rows between two offsets, around what is gone. */
async function rowsOf(source: Source, from: number, to: number): Promise<Line[]> {
  const lines = new Lines();
  let at = from;
  for (const hole of [...source.holes.all, { from: to, to }]) {
    if (hole.to < at || hole.from > to) continue;
    const { bytes } = await source.range(at, Math.min(hole.from, to));
    new Terminal(lines).write(bytes, at);
    at = hole.to;
  }
  return lines.list;
}
