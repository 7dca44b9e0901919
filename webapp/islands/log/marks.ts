import type { Line } from "./line";
import type { Finding, Match } from "./search";

const FOUND = "log-found";
const CURRENT = "log-current";
/** What the gateway leaves out where it looks for what is seen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const SEQUENCE = /\u001b(?:\[[ -?]*[@-~]?|[\]PX^_][^\u0007\u001b\n]*\u0007?|[()*+\-./#% ].|.)/g;

/** What was found, as it stands in the text: to be marked in the rows. */
export function found(match: Match): string {
  const bytes = new TextEncoder().encode(match.text);
  const at = match.offset - match.start;
  const text = new TextDecoder().decode(bytes.subarray(at, at + match.length));
  return text.replaceAll(SEQUENCE, "").split("\n")[0] ?? "";
}

/** Marks what was found in the rows on the page, without touching them. */
export function markFound(
  search: Finding | undefined,
  lines: Line[],
  elementOf: (line: Line) => HTMLElement | undefined,
): void {
  const rows = (search?.query ? lines : []).flatMap((line) => {
    const element = elementOf(line);
    const matches = search?.inside(line) ?? [];
    return element && matches.length > 0 ? [{ element, matches }] : [];
  });
  highlight(rows, search?.current);
}

function highlight(rows: Iterable<{ element: HTMLElement; matches: Match[] }>, current: Match | undefined): void {
  if (!("highlights" in CSS)) return;
  const all: Range[] = [];
  const chosen: Range[] = [];
  for (const { element, matches } of rows) {
    const text = element.querySelector(".text");
    if (!text) continue;
    for (const words of new Set(matches.map(found))) {
      const ranges = occurrences(text, words);
      all.push(...ranges);
      if (current && matches.includes(current)) chosen.push(...ranges);
    }
  }
  CSS.highlights.set(FOUND, new Highlight(...all));
  CSS.highlights.set(CURRENT, new Highlight(...chosen));
}

/** Where the match is on the page to which a search has led. */
export function currentMatch(): DOMRect | undefined {
  const [range] = ("highlights" in CSS && CSS.highlights.get(CURRENT)) || [];
  return range instanceof Range ? range.getBoundingClientRect() : undefined;
}

function occurrences(element: Element, words: string): Range[] {
  if (!words) return [];
  const ranges: Range[] = [];
  const nodes: { node: Text; at: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, at: text.length });
    text += (node as Text).data;
  }
  const point = (at: number): [Text, number] | undefined => {
    const piece = nodes.findLast((known) => known.at <= at);
    return piece && [piece.node, at - piece.at];
  };
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    const [start, end] = [point(at), point(at + words.length - 1)];
    if (!start || !end) continue;
    const range = document.createRange();
    range.setStart(start[0], start[1]);
    range.setEnd(end[0], end[1] + 1);
    ranges.push(range);
  }
  return ranges;
}
