import { protocolOf } from "./fields";
import { JobText } from "./job-text";
import type { Knowledge, Schema } from "./schema";

const LISTS: [RegExp, string][] = [
  [/virtualCluster$/, "clusters"],
  [/(devices\.type|gpuType|skuType)$/, "device-types"],
];

/** What the editor completes from: the server's schemas of both protocols, and the names that the page around it lists. */
export function knowledge(page: HTMLElement): Knowledge {
  const schemas = new Map<number, Schema>();
  for (const version of [1, 2]) void learn(version, schemas);
  return {
    schema: (text) => schemas.get(versionOf(text)),
    names: (field) => {
      const list = LISTS.find(([fields]) => fields.test(field))?.[1];
      const options = list ? page.querySelectorAll<HTMLOptionElement>(`#${list} option`) : [];
      return [...options].map(({ value }) => value);
    },
  };
}

async function learn(version: number, schemas: Map<number, Schema>): Promise<void> {
  const answer = await fetch(`/schemas/job-v${version}.json`).catch(() => undefined);
  if (answer?.ok) schemas.set(version, (await answer.json()) as Schema);
}

/** Of a text that is still being written, too. */
function versionOf(text: string): number {
  const job = JobText.read(text);
  if (job) return protocolOf(job);
  return /["']?jobName["']?\s*:/.test(text) && !text.includes("protocolVersion") ? 1 : 2;
}
