type Child = Node | string | undefined;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** An element with attributes, listeners ("onclick" and so on) and children; text is text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(sprite: string, name: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

/** The sentences of the page's language, which the server puts into the element's data attributes. */
export type Words = (key: string, ...values: (string | number)[]) => string;

export function words(element: HTMLElement): Words {
  return (key, ...values) =>
    (element.dataset[key] ?? key).replaceAll(/\{(\d)\}/g, (_, n: string) => shown(values[Number(n)] ?? ""));
}

function shown(value: string | number): string {
  return typeof value === "number" ? numbers().format(value) : value;
}

let format: Intl.NumberFormat | undefined;

export function numbers(): Intl.NumberFormat {
  format ??= new Intl.NumberFormat(document.documentElement.lang);
  return format;
}

const MOST_NAMED = 4;

/** "worker 3, worker 5 and 7 more", as the page's language puts it. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = more > 1 ? [...names.slice(0, MOST_NAMED), `+${numbers().format(more)}`] : names;
  return new Intl.ListFormat(document.documentElement.lang, { type: "unit", style: "narrow" }).format(shown);
}

/** "12.5 MB", for people. */
export function amount(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let power = 0;
  for (let left = bytes; left >= 1000 && power < units.length - 1; left /= 1000) power++;
  const options: Intl.NumberFormatOptions = { style: "unit", unit: units[power] ?? "byte", maximumFractionDigits: 1 };
  if (power === 0) options.unitDisplay = "long";
  return new Intl.NumberFormat(document.documentElement.lang, options).format(bytes / 1000 ** power);
}

/** Puts into the browser's own timeline how long something took until it could be seen: the frame after the next begins when that has been painted. */
export function painted(name: string, start: number): void {
  const measure = () => performance.measure(name, { start, end: performance.now() });
  requestAnimationFrame(() => requestAnimationFrame(measure));
}
