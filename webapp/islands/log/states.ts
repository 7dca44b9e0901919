import { make, type Words } from "./dom";
import type { Line } from "./line";
import { Lines } from "./lines";
import { fill } from "./row";
import type { Source } from "./source";
import { Terminal } from "./terminal";

const BYTES = 256 << 10;
const MOST = 200;

/** Rows whose earlier states are open. */
export class Opened {
  // of rows that are no longer in memory nothing is kept either
  readonly #boxes = new WeakMap<Line, HTMLElement>();
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  boxOf(line: Line): HTMLElement | undefined {
    return this.#boxes.get(line);
  }

  async toggle(line: Line, source: Source): Promise<void> {
    if (!this.#boxes.delete(line)) this.#boxes.set(line, await states(line, source, this.#words));
  }
}

/** The earlier states of a row that was written over, oldest first: read again from the stored bytes. */
async function states(line: Line, source: Source, words: Words): Promise<HTMLElement> {
  const from = Math.max(line.from, line.to - BYTES);
  const { bytes, offset } = await source.range(from, line.to);
  const lines = new Lines();
  new Terminal(lines, { flat: true }).write(bytes, offset);
  const shown = lines.list.filter((state) => state.text.trim() !== "").slice(-MOST);
  const box = make("div", {
    class: "states",
    role: "group",
    tabindex: 0,
    "aria-label": words("rewrites", line.rewrites),
  });
  if (shown.length < line.rewrites) box.append(make("p", { class: "faint" }, words("statesOf", shown.length)));
  for (const state of shown) {
    const row = make("div", {});
    fill(row, state);
    box.append(row);
  }
  return box;
}
