import { protocolOf, rolesOf } from "./fields";
import { JobText } from "./job-text";
import type { Step, Value } from "./values";

/** What a job is by its tasks: one, the same one on several nodes, or roles of their own. */
export type Kind = "regular" | "nodes" | "roles";

export function kindOf(job: JobText): Kind {
  const roles = rolesOf(job);
  if (roles.length > 1) return "roles";
  return Number(roles[0] === undefined ? 1 : (job.at(["taskRoles", roles[0], count(job)]) ?? 1)) > 1
    ? "nodes"
    : "regular";
}

/** The same job as another kind. The first role stays; what it can not be any more is taken away, and undo brings it back. */
export function withKind(job: JobText, kind: string): string {
  const first = rolesOf(job)[0];
  if (first === undefined || kind === kindOf(job)) return job.text;
  if (kind === "roles") return withServer(job, first);
  let alone = job.text;
  // from the end, as roles of protocol 1 are known by their place
  for (const role of rolesOf(job).slice(1).reverse()) alone = again(alone, (read) => read.remove(["taskRoles", role]));
  return again(alone, (read) => read.set(["taskRoles", first, count(read)], kind === "nodes" ? 2 : 1));
}

const count = (job: JobText) => (protocolOf(job) === 1 ? "taskNumber" : "instances");

function again(text: string, change: (job: JobText) => string): string {
  const read = JobText.read(text);
  return read ? change(read) : text;
}

/** A parameter server beside the workers: like the first role, one of it, and without devices. */
function withServer(job: JobText, first: Step): string {
  const like = { ...(job.at(["taskRoles", first]) as { [key: string]: Value }) };
  const name = first === "ps" || like.name === "ps" ? "worker" : "ps";
  if (protocolOf(job) === 1) {
    const { gpuNumber: _, ...rest } = like;
    return job.set(["taskRoles", rolesOf(job).length], { ...rest, name, taskNumber: 1 });
  }
  const needs = { ...(like.resourcePerInstance as { [key: string]: Value } | undefined), gpu: 0 };
  return job.set(["taskRoles", name], { ...like, instances: 1, resourcePerInstance: needs });
}
