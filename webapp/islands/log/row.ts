import { readable } from "./contrast";
import { amount, make, type Words } from "./dom";
import type { Line, Run } from "./line";
import { BOLD, css, DIM, INVERSE, ITALIC, PLAIN, STRIKE, type Style, UNDERLINE } from "./style";

/** What a row needs to know beyond its line. */
export interface Context {
  readonly words: Words;
  number(line: Line): number | undefined;
  /** When it was printed; null: not known yet; undefined: times are not shown. */
  time(line: Line): number | null | undefined;
  link(line: Line): string | undefined;
  /** Of "cause", "target" and "found", what it is; and whether its earlier states are open. */
  marks(line: Line): string[];
  source(line: Line): string | undefined;
}

// controls that would change what is around them are named instead
const DANGEROUS = /[\u0080-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/;
const ADDRESS = /https?:\/\/[^\s"'<>`\u0080-\u00a0\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const TRAILING = /[.,;:!?)\]}]+$/;
const FLAGS: [number, string][] = [
  [BOLD, "bold"],
  [DIM, "dim"],
  [ITALIC, "italic"],
  [UNDERLINE, "under"],
  [STRIKE, "strike"],
];

/** Draws a line into its element, which is emptied first. */
export function draw(element: HTMLElement, line: Line, context: Context): void {
  element.className = ["row", ...context.marks(line)].join(" ");
  element.classList.toggle("live", line.open && line.rewrites > 0);
  element.classList.toggle("hole", line.hole !== undefined);
  element.dataset.offset = String(line.from);
  const number = line.continued || line.hole ? undefined : context.number(line);
  const link = context.link(line);
  const gutter = make("a", { class: "no", tabindex: -1, href: link, title: context.words("link") });
  if (number !== undefined) gutter.textContent = String(number);
  const text = make("span", { class: "text" });
  if (line.hole) text.append(lost(line, context.words));
  else fill(text, line);
  const at = context.time(line);
  const time = at === undefined ? undefined : at === null ? make("time", {}) : clock(at);
  const source = context.source(line);
  const name = source === undefined ? undefined : make("b", { class: `of of-${line.source % 8}` }, source);
  const history = line.rewrites > 0 ? earlier(line, context.words) : undefined;
  element.replaceChildren(
    gutter,
    ...(time ? [time] : []),
    ...(name ? [name] : []),
    text,
    ...(history ? [history] : []),
  );
}

function earlier(line: Line, words: Words): HTMLElement {
  const label = words("rewrites", line.rewrites);
  return make("button", { type: "button", class: "history", title: label, "aria-label": label }, `↺ ${line.rewrites}`);
}

function lost(line: Line, words: Words): string {
  const { from = 0, to = 0, reason = "", at, until } = line.hole ?? {};
  const when = (time: number | null | undefined) =>
    time ? new Date(time).toLocaleString(document.documentElement.lang) : "";
  const bytes = amount(to - from);
  if (reason === "emptied") return words("gapEmptied", when(at));
  if (reason !== "disk_full") return words("gapLimit", bytes);
  const key = from === to ? "gapDiskMaybe" : "gapDisk";
  return until ? words(`${key}For`, bytes, when(at), when(until)) : words(key, bytes, when(at));
}

let clocks: { short: Intl.DateTimeFormat; long: Intl.DateTimeFormat } | undefined;

function clock(at: number): HTMLTimeElement {
  const { lang } = document.documentElement;
  clocks ??= {
    short: new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    long: new Intl.DateTimeFormat(lang, { dateStyle: "full", timeStyle: "medium" }),
  };
  return make("time", { datetime: new Date(at).toISOString(), title: clocks.long.format(at) }, clocks.short.format(at));
}

/** Text with its colours. */
export function fill(element: HTMLElement, line: Line): void {
  const { text, runs } = line;
  let at = 0;
  let style: Style = PLAIN;
  const put = (next: Run | undefined) => {
    const end = next?.at ?? text.length;
    if (end > at) piece(element, text.slice(at, end), style);
    at = end;
    if (next) style = next.style;
  };
  for (const run of runs) put(run);
  put(undefined);
}

function piece(element: HTMLElement, text: string, style: Style): void {
  if (style === PLAIN) {
    withAddresses(element, text);
    return;
  }
  const span = style.link ? address(style.link) : document.createElement("span");
  dress(span, style);
  if (style.link) safely(span, text);
  else withAddresses(span, text);
  element.append(span);
}

function dress(span: HTMLElement, style: Style): void {
  const inverse = (style.flags & INVERSE) !== 0;
  const [fg, bg] = inverse ? [style.bg, style.fg] : [style.fg, style.bg];
  for (const [flag, name] of FLAGS) if (style.flags & flag) span.classList.add(name);
  if (inverse) span.classList.add("inverse");
  colour(span, "fg", fg);
  colour(span, "bg", bg);
  if (bg >= 16) {
    const onBg = readable(fg, bg);
    span.style.setProperty("--on-bg", onBg);
    // on a ground of its own the theme's colours say nothing about what can be read
    if (fg >= 16) span.style.setProperty("--fg", onBg);
  }
}

function colour(span: HTMLElement, which: "fg" | "bg", value: number): void {
  if (value < 0) return;
  span.classList.add(value < 16 ? `${which}-${value}` : which);
  if (value >= 16) span.style.setProperty(`--${which}`, css(value));
}

function address(to: string): HTMLAnchorElement {
  return make("a", { href: to, target: "_blank", rel: "noopener noreferrer nofollow", title: to });
}

function withAddresses(element: HTMLElement, text: string): void {
  let at = 0;
  if (text.includes("://"))
    for (const match of text.matchAll(ADDRESS)) {
      const found = match[0].replace(TRAILING, "");
      safely(element, text.slice(at, match.index));
      const link = address(found);
      link.textContent = found;
      element.append(link);
      at = match.index + found.length;
    }
  safely(element, text.slice(at));
}

function safely(element: HTMLElement, text: string): void {
  if (!DANGEROUS.test(text)) {
    if (text) element.append(text);
    return;
  }
  for (const part of text.split(new RegExp(`(${DANGEROUS.source})`))) {
    if (!DANGEROUS.test(part)) element.append(part);
    else {
      const code = (part.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      element.append(make("span", { class: "control", "data-code": `U+${code}` }));
    }
  }
}
