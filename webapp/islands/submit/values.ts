/** What JSON can say, which is all that a job is made of. */
export type Step = string | number;
export type Path = readonly Step[];
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

export function within(value: Value | undefined, path: Path): Value | undefined {
  return path.reduce<Value | undefined>(
    (at, step) => (at instanceof Object && Object.hasOwn(at, step) ? (at as { [key: Step]: Value })[step] : undefined),
    value,
  );
}

/** The same with another value in one place; without one, with nothing there. */
export function changed(whole: Value | undefined, [step, ...rest]: Path, value: Value | undefined): Value {
  if (step === undefined) return value ?? null;
  if (Array.isArray(whole)) {
    const index = Number(step);
    if (rest.length === 0 && value === undefined) return whole.filter((_, at) => at !== index);
    return Object.assign([...whole], { [index]: rest.length === 0 ? value : changed(whole[index], rest, value) });
  }
  const copy = { ...(whole instanceof Object ? whole : {}) } as { [key: string]: Value };
  if (rest.length === 0 && value === undefined) delete copy[step];
  else copy[step] = changed(copy[step], rest, value);
  return copy;
}

export function same(one: unknown, other: unknown): boolean {
  if (!(one instanceof Object && other instanceof Object)) return one === other;
  const keys = Object.keys(one);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(other).length &&
    keys.every((key) => same((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]))
  );
}

export function isJson(text: string): boolean {
  try {
    return text.trimStart().startsWith("{") && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** All lines but the first begin so much further right. */
export function indented(lines: string, column: number): string {
  return lines.replace(/\n(?=[^\n])/g, `\n${" ".repeat(column)}`);
}
