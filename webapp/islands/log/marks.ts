import type { Line } from "./line";
import { found, type Match, type Search } from "./search";

const FOUND = "log-found";
const CURRENT = "log-current";

/** The matches that lie in a row. */
export function matchesIn(search: Search, line: Line): Match[] {
  const { matches } = search;
  let low = 0;
  let high = matches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((matches[middle]?.offset ?? 0) < line.from) low = middle + 1;
    else high = middle;
  }
  const inside: Match[] = [];
  for (let match = matches[low]; match && match.offset < line.to; match = matches[++low]) inside.push(match);
  return inside;
}

/** Marks what was found in the rows on the page, without touching them. */
export function highlight(
  rows: Iterable<{ element: HTMLElement; matches: Match[] }>,
  current: Match | undefined,
): void {
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

/** What is selected in the rows, as the task printed it: no numbers, no times, no line breaks that are not its own. */
export function copied(body: HTMLElement, selection: Selection): string | undefined {
  if (selection.rangeCount === 0 || selection.isCollapsed) return undefined;
  const range = selection.getRangeAt(0);
  let text = "";
  let rows = 0;
  for (const row of body.children) {
    const line = row.querySelector(".text");
    if (!line || !range.intersectsNode(line)) continue;
    const part = document.createRange();
    part.selectNodeContents(line);
    if (line.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
    if (line.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
    if (rows++ > 0 && !row.classList.contains("continued")) text += "\n";
    text += part.toString();
  }
  return rows > 0 ? text : undefined;
}
