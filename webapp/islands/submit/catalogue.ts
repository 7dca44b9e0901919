import { protocolOf, rolesOf, written } from "./fields";
import { JobText } from "./job-text";
import type { Path, Step, Value } from "./values";

/** A dataset of the catalogue, as a job takes it. */
export type Dataset = { input: string; place: string; storage?: string | undefined };

const INPUTS: Path = ["extras", "sluice", "data", "inputs"];
const STORAGES: Path = ["extras", "storages"];
/** Names of device types that jobs of other platforms bring. */
const KNOWN: [RegExp, string][] = [
  [/npu|ascend|^910|^310/i, "ascend"],
  [/nvidia|^[abhlvtp]\d{1,3}\b|rtx|gtx/i, "nvidia"],
  [/^mi\d|amd(?!64)/i, "amd"],
];

/** The job with the dataset among what it is brought, under a name that no other input has; one that is there already is left alone. */
export function withDataset(job: JobText, { input, place, storage }: Dataset): string {
  const inputs = entries(job, INPUTS);
  let text = job.text;
  if (!inputs.some(({ from }) => from === place)) {
    const names = inputs.map(({ name }) => name);
    let name = input;
    for (let number = 2; names.includes(name); number++) name = `${input.slice(0, 27)}_${number}`;
    const entry = { name, from: place };
    text = inputs.length === 0 ? job.set(INPUTS, [entry]) : job.set([...INPUTS, inputs.length], entry);
  }
  const read = JobText.read(text);
  if (!read || storage === undefined) return text;
  const storages = entries(read, STORAGES);
  if (storages.some(({ name }) => name === storage)) return text;
  const asked = { name: storage };
  return storages.length === 0 ? read.set(STORAGES, [asked]) : read.set([...STORAGES, storages.length], asked);
}

/** A job of protocol 1 has one image, one of protocol 2 one for each role. */
export function withImage(job: JobText, role: Step | undefined, uri: string): string {
  const at = role ?? rolesOf(job)[0];
  if (protocolOf(job) === 1) return job.set(["image"], uri);
  return at === undefined ? job.text : written(job, { kind: "image", path: ["taskRoles", at, "dockerImage"] }, uri);
}

/** Which kind of devices a job asks for, as far as it says; undefined: it does not. */
export function devicesOf(job: JobText, types: { [type: string]: string }): string | undefined {
  const said = job.at(protocolOf(job) === 1 ? ["gpuType"] : ["extras", "sluice", "devices", "type"]);
  const type = typeof said === "string" ? said.trim() : "";
  if (type === "" || type === "any") return undefined;
  return types[type] ?? KNOWN.find(([pattern]) => pattern.test(type))?.[1];
}

function entries(job: JobText, path: Path): { [key: string]: Value }[] {
  const value = job.at(path);
  return Array.isArray(value) ? value.filter((entry) => entry instanceof Object).map((entry) => entry as never) : [];
}
