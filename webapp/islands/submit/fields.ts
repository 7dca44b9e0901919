import { JobText } from "./job-text";
import { kindOf, withKind } from "./kinds";
import { isList, rowsOf, rowsWritten } from "./lists";
import { type Path, type Step, same, type Value } from "./values";

/** Which protocol a text is of, as the server sees it. */
export function protocolOf(job: JobText): 1 | 2 {
  if (job.at(["protocolVersion"]) !== undefined) return 2;
  return job.at(["jobName"]) !== undefined || Array.isArray(job.at(["taskRoles"])) ? 1 : 2;
}

export type Pair = [name: string, value: string];

/** What a control of the form stands for: a place in the text, and how it is written there. */
export type Field = { kind: string; path: Path };

export const MASK = "******";

/** The steps to each role, in the order of the text. */
export function rolesOf(job: JobText): Step[] {
  const roles = job.at(["taskRoles"]);
  if (Array.isArray(roles)) return roles.map((_, index) => index);
  return roles instanceof Object ? Object.keys(roles) : [];
}

/** A single value as its control shows it; lists of pairs have their own. */
export function shown(job: JobText, { kind, path }: Field): string {
  if (kind === "role") return roleName(job, path);
  if (kind === "kind") return kindOf(job);
  const value = kind === "image" ? job.at(imagePath(job, path) ?? []) : job.at(path);
  if (value === undefined || value === null) return "";
  if (kind === "command" && Array.isArray(value)) return value.map(String).join("\n");
  if (kind === "words" && Array.isArray(value)) return value.map(String).join(", ");
  if (kind === "duration" && typeof value === "number") return duration(value);
  return value instanceof Object ? "" : String(value);
}

/** The text with a control's new value in it; an empty control takes its field away, where that means something. */
export function written(job: JobText, { kind, path }: Field, typed: string): string {
  const text = kind === "command" ? typed : typed.trim();
  switch (kind) {
    case "role":
      return renamed(job, path, text);
    case "kind":
      return withKind(job, text);
    case "image":
      return image(job, path, text);
    case "command":
      return protocolOf(job) === 2 ? commands(job, path, text) : job.set(path, text);
    case "flag":
      return text ? job.set(path, true) : job.remove(path);
    case "words":
      return listed(job, path, text);
    case "duration":
      return text === "" ? job.remove(path) : job.set(path, seconds(text) ?? text);
    case "number":
      return text === ""
        ? job.remove(path)
        : job.set(path, /^-?\d{1,15}$/.test(minus(text)) ? Number(minus(text)) : text);
    default:
      // a name may be empty while it is typed; anything else that is empty is not said at all
      return text === "" && !["name", "jobName"].includes(String(path.at(-1))) ? job.remove(path) : job.set(path, text);
  }
}

const minus = (text: string) => text.replace("−", "-");

function listed(job: JobText, path: Path, text: string): string {
  const words = [...new Set(text.split(/[,，]/).map((word) => word.trim()))].filter(Boolean);
  return words.length === 0 ? job.remove(path) : job.set(path, words);
}

function roleName(job: JobText, path: Path): string {
  return protocolOf(job) === 1 ? String(job.at([...path, "name"]) ?? "") : String(path.at(-1));
}

function renamed(job: JobText, path: Path, name: string): string {
  if (protocolOf(job) === 1) return job.set([...path, "name"], name);
  const taken = rolesOf(job).includes(name);
  if (name === "" || taken) return job.text;
  const text = job.rename(path, name);
  const moved = JobText.read(text);
  const hived = ["extras", "hivedScheduler", "taskRoles", String(path.at(-1))];
  return moved?.at(hived) === undefined ? text : moved.rename(hived, name);
}

/**
 * Lines are commands of their own, as long as none of them depends on its neighbours: they are trimmed before they run.
 * Commands before and behind the change stay as they are, with their comments.
 */
function commands(job: JobText, path: Path, text: string): string {
  const old = job.at(path);
  const items = Array.isArray(old) ? old.map(String) : [];
  const whole = `${text}\n`;
  let head = 0;
  let from = 0;
  while (head < items.length && whole.startsWith(`${items[head]}\n`, from)) from += (items[head++] ?? "").length + 1;
  let tail = 0;
  let to = whole.length;
  while (tail < items.length - head) {
    const item = `${items.at(-1 - tail)}\n`;
    if (to - item.length < from || !whole.endsWith(item, to) || !endsLine(whole, to - item.length)) break;
    to -= item.length;
    tail++;
  }
  if (!alone(whole.slice(from, to), items[head - 1]) && head > 0) from -= (items[--head] ?? "").length + 1;
  const changed = items.slice(head, items.length - tail);
  const middle = whole.slice(from, to).replace(/\n$/, "");
  const block = changed.some((item) => item.includes("\n")) || !alone(middle, "");
  const between = from === to ? [] : block ? [middle] : middle.split("\n");
  const next = [...items.slice(0, head), ...between, ...items.slice(items.length - tail)];
  if (next.length === items.length && between.length === 1) return job.set([...path, head], between[0] ?? "");
  if (between.length === 0 && changed.length === 1 && next.length > 0) return job.remove([...path, head]);
  if (changed.length === 0 && tail === 0 && between.length === 1 && head > 0) return job.set([...path, head], middle);
  return job.set(path, next);
}

/** An indented line, or one that goes on, is trimmed to something else when it is a command of its own. */
const alone = (lines: string, before: string | undefined) =>
  !before?.endsWith("\\") && lines.split("\n").every((line) => !/^\s+\S|\\$/.test(line));

const endsLine = (text: string, at: number) => at === 0 || text[at - 1] === "\n";

/** In protocol 2 a role names a prerequisite, which names the image. */
function imagePath(job: JobText, path: Path): Path | undefined {
  if (protocolOf(job) === 1) return path;
  const index = images(job).findIndex(({ name }) => name === job.at(path));
  return index < 0 ? undefined : ["prerequisites", images(job)[index]?.index ?? 0, "uri"];
}

function images(job: JobText): { name: Value | undefined; index: number }[] {
  const all = job.at(["prerequisites"]);
  const list = Array.isArray(all)
    ? all.map((_, index) => ({ name: job.at(["prerequisites", index, "name"]), index }))
    : [];
  return list.filter(({ index }) => job.at(["prerequisites", index, "type"]) === "dockerimage");
}

/** An image that other roles use too is not changed under their hands: this role gets one of its own. */
function image(job: JobText, path: Path, uri: string): string {
  const known = imagePath(job, path);
  if (protocolOf(job) === 1) return job.set(path, uri);
  const shared = rolesOf(job).filter((role) => job.at(["taskRoles", role, "dockerImage"]) === job.at(path)).length > 1;
  if (known && !shared) return job.set(known, uri);
  const names = images(job).map(({ name }) => name);
  let name = `${path[1]}_image`;
  while (names.includes(name)) name += "_";
  const all = job.at(["prerequisites"]);
  const next = Array.isArray(all) ? all.length : 0;
  const entry = { name, type: "dockerimage", uri };
  const text = Array.isArray(all) ? job.set(["prerequisites", next], entry) : job.set(["prerequisites"], [entry]);
  return JobText.read(text)?.set(path, name) ?? text;
}

export function pairs(job: JobText, { kind, path }: Field): Pair[] {
  const value = job.at(path);
  if (kind === "secrets" && value === MASK) return asked(job.text).map((name) => [name, ""]);
  if (isList(job, { kind, path })) return rowsOf(job, { kind, path });
  if (!(value instanceof Object)) return [];
  return Object.entries(value).map(([name, inner]) => [
    name,
    inner instanceof Object ? JSON.stringify(inner) : kind === "secrets" && inner === MASK ? "" : String(inner ?? ""),
  ]);
}

/** The secrets that a text asks for. */
export function asked(text: string): string[] {
  return [...new Set([...text.matchAll(/<%\s*\$secrets\.([\w.-]+)\s*%>/g)].map(([, name]) => name ?? ""))];
}

/** Only what differs is written, so that a value keeps its comment and its spelling. */
export function pairsWritten(job: JobText, field: Field, wanted: Pair[]): string {
  const named = wanted.filter(([name]) => name.trim() !== "");
  if (named.length === 0) return job.remove(field.path);
  if (isList(job, field)) return rowsWritten(job, field, named);
  const before = job.at(field.path);
  const old = before instanceof Object ? (before as { [name: string]: Value }) : {};
  const known = pairs(job, field);
  const next: [string, Value][] = named.map(([name, value]) => {
    const same = known.some(([other, text]) => other === name && text === value);
    if (same && old[name] !== undefined) return [name.trim(), old[name]];
    return [name.trim(), field.kind === "secrets" ? value || MASK : typedValue(field, value, old[name])];
  });
  return step(job, field.path, old, next);
}

function step(job: JobText, path: Path, old: { [name: string]: Value }, next: [string, Value][]): string {
  const names = next.map(([name]) => name);
  const gone = Object.keys(old).filter((name) => !names.includes(name));
  const fresh = names.filter((name) => !Object.hasOwn(old, name));
  let text = job.text;
  const apply = (change: (job: JobText) => string) => {
    const read = JobText.read(text);
    if (read) text = change(read);
  };
  const [from, to] = [gone[0], fresh[0]];
  const renames = gone.length === 1 && fresh.length === 1;
  if (renames && from !== undefined && to !== undefined) apply((read) => read.rename([...path, from], to));
  else if (Object.keys(old).length > 0) for (const name of gone) apply((read) => read.remove([...path, name]));
  for (const [name, value] of next)
    apply((read) => (same(read.at([...path, name]), value) ? read.text : read.set([...path, name], value)));
  return text;
}

/** A number stays a number; what was text stays text. */
function typedValue(field: Field, value: string, old: Value | undefined): Value {
  const numeric = field.kind === "ports" || (field.path[0] === "parameters" && typeof old !== "string");
  return numeric && /^-?\d{1,15}(\.\d{1,10})?$/.test(value) ? Number(value) : value;
}

const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

export function duration(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count}${unit}` : "";
  });
  return Number.isInteger(seconds) && seconds > 0 ? parts.filter(Boolean).join(" ") : String(seconds);
}

export function seconds(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (!/^(\d+(\.\d+)?\s*[dhms]\s*)+$/i.test(text)) return undefined;
  const sizes = new Map(UNITS);
  return [...text.toLowerCase().matchAll(/([\d.]+)\s*([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Math.round(Number(count) * (sizes.get(unit ?? "s") ?? 1)),
    0,
  );
}
