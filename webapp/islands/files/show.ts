import { make, type Words } from "../log/dom";

const MOST_ROWS = 1000;
const MOST_COLUMNS = 100;

/** Rows of values that are parted by commas or tabs; a quoted value may hold both, and ends of lines. */
export function rowsOf(text: string, mark: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let value = "";
  let quoted = false;
  for (let at = 0; at < text.length && rows.length < MOST_ROWS; at++) {
    const one = text[at];
    if (quoted) {
      if (one !== '"') value += one;
      else if (text[at + 1] === '"') value += text[++at];
      else quoted = false;
    } else if (one === '"' && value === "") quoted = true;
    else if (one === mark || one === "\n") {
      row.push(value.replace(/\r$/, ""));
      value = "";
      if (one === "\n") {
        rows.push(row);
        row = [];
      }
    } else value += one;
  }
  if (value || row.length > 0) rows.push([...row, value]);
  return rows;
}

export function table(text: string, mark: string): HTMLElement {
  const rows = rowsOf(text, mark).map((row) => row.slice(0, MOST_COLUMNS));
  const [head = [], ...body] = rows;
  const line = (tag: "th" | "td", values: string[]) => make("tr", {}, ...values.map((value) => make(tag, {}, value)));
  return make(
    "div",
    { class: "scroll" },
    make("table", {}, make("thead", {}, line("th", head)), make("tbody", {}, ...body.map((row) => line("td", row)))),
  );
}

type Output = { text?: unknown; data?: Record<string, unknown>; traceback?: unknown };
type Cell = { cell_type?: string; source?: unknown; outputs?: Output[] };

const textOf = (lines: unknown): string =>
  Array.isArray(lines) ? lines.join("") : typeof lines === "string" ? lines : "";
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are written with
const COLOURS = /\u001b\[[0-9;]*m/g;

/** A notebook as it was saved: what somebody wrote and what came of it, as text and pictures, and nothing of it runs here. */
export function notebook(text: string, words: Words): HTMLElement {
  const { cells } = JSON.parse(text) as { cells?: Cell[] };
  if (!Array.isArray(cells)) throw new TypeError("a notebook of a kind that is not known");
  return make("div", { class: "notebook" }, ...cells.map((cell) => cellOf(cell, words)));
}

function cellOf(cell: Cell, words: Words): HTMLElement {
  const source = make(cell.cell_type === "code" ? "pre" : "p", { class: cell.cell_type ?? "raw" }, textOf(cell.source));
  return make("section", {}, source, ...(cell.outputs ?? []).map((output) => outputOf(output, words)));
}

function outputOf(output: Output, words: Words): HTMLElement {
  const data = output.data ?? {};
  for (const type of ["image/png", "image/jpeg"]) {
    const picture = textOf(data[type]).replace(/\s/g, "");
    if (/^[A-Za-z0-9+/=]+$/.test(picture)) return make("img", { src: `data:${type};base64,${picture}`, alt: "" });
  }
  const text = textOf(output.text) || textOf(data["text/plain"]) || textOf(output.traceback);
  return text
    ? make("pre", { class: "output" }, text.replaceAll(COLOURS, ""))
    : make("p", { class: "faint small" }, words("output"));
}
