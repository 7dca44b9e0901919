import type { Field, Pair } from "./fields";
import { JobText } from "./job-text";
import type { Value } from "./values";

/** What stands in the two fields of a row, by the kind of the list that the row is of. */
const KEYS: { [kind: string]: [string, string] } = {
  ports: ["label", "portNumber"],
  inputs: ["name", "from"],
  outputs: ["name", "to"],
};

type Entry = { [key: string]: Value };

/** Whether the rows are objects of a list; those of other kinds are the pairs of one object. */
export function isList(job: JobText, { kind, path }: Field): boolean {
  return kind === "inputs" || kind === "outputs" || Array.isArray(job.at(path)) || path.at(-1) === "portList";
}

export function rowsOf(job: JobText, { kind, path }: Field): Pair[] {
  const [name, value] = keys(kind);
  const unset = kind === "ports" ? 1 : "";
  return entries(job, path).map((entry) => [String(entry[name] ?? ""), String(entry[value] ?? unset)]);
}

/** Only what differs is written, so that the others keep their comments and whatever else they say. */
export function rowsWritten(job: JobText, { kind, path }: Field, wanted: Pair[]): string {
  const [name, value] = keys(kind);
  const old = entries(job, path);
  const next = wanted.map(([first, second], index) => ({
    ...old[index],
    [name]: first.trim(),
    [value]: kind === "ports" ? count(second) : second.trim(),
  }));
  if (next.length !== old.length) return job.set(path, next);
  let text = job.text;
  for (const [index, entry] of next.entries())
    for (const key of [name, value])
      if (entry[key] !== old[index]?.[key])
        text = JobText.read(text)?.set([...path, index, key], entry[key] ?? "") ?? text;
  return text;
}

const keys = (kind: string): [string, string] => KEYS[kind] ?? ["label", "portNumber"];

const count = (text: string): Value => (/^\d+$/.test(text) ? Number(text) : text);

function entries(job: JobText, path: Field["path"]): Entry[] {
  const value = job.at(path);
  return Array.isArray(value) ? value.map((entry) => (entry instanceof Object ? (entry as Entry) : {})) : [];
}
