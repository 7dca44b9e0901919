import type { JobText } from "./job-text";
import type { Path, Value } from "./values";

/** A list in which a control stands for one entry: there, or not. An entry is a name, or an object with more about it. */
export function isMember(job: JobText, path: Path, member: string): boolean {
  return entries(job, path).some((entry) => named(entry) === member);
}

export function withMember(job: JobText, path: Path, member: string, wanted: boolean): string {
  const all = entries(job, path);
  if (wanted === isMember(job, path, member)) return job.text;
  if (wanted) return all.length === 0 ? job.set(path, [member]) : job.set([...path, all.length], member);
  const rest = all.filter((entry) => named(entry) !== member);
  if (rest.length === 0) return job.remove(path);
  return all.length - rest.length === 1
    ? job.remove([...path, all.findIndex((entry) => named(entry) === member)])
    : job.set(path, rest);
}

function entries(job: JobText, path: Path): Value[] {
  const value = job.at(path);
  return Array.isArray(value) ? value : [];
}

function named(entry: Value): string {
  return entry instanceof Object && !Array.isArray(entry)
    ? String((entry as { [key: string]: Value }).recipe ?? "")
    : String(entry);
}
