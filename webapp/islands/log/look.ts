import { Merged } from "./merged";
import { Reader } from "./reader";
import { Search } from "./search";
import { SearchAll } from "./search-all";
import type { Sight } from "./sight";
import { Source, turnsOfView } from "./source";
import { Times } from "./times";
import type { Task } from "./tools";

export interface Choice {
  readonly tasks: Task[];
  readonly merged: boolean;
  /** The log that the page is about, and the offset of the line in it that explains the end. */
  readonly own: string;
  readonly mark: string | null;
}

interface Hooks {
  changed(): void;
  timed(): void;
  found(): void;
  address(src: string, offset: number): string | undefined;
}

/** What is looked at when these tasks are chosen. */
export function lookAt({ tasks, merged, own, mark }: Choice, hooks: Hooks): Sight {
  const turns = turnsOfView();
  const sources = tasks.map(({ src }) => new Source(src, turns));
  const marked = tasks.findIndex(({ src }) => src === own);
  const common = {
    sources,
    merged,
    cause: mark && marked >= 0 ? { source: marked, offset: Number(mark) } : undefined,
    nameOf: (source: number) => tasks[source]?.label ?? "",
    permalink: (line: { source: number; from: number }) => hooks.address(tasks[line.source]?.src ?? "", line.from),
  };
  if (merged) {
    const feed = new Merged(sources, hooks.changed, hooks.timed);
    const search = new SearchAll(sources, feed.readers, (line) => feed.timeOf(line), hooks.found);
    return { feed, search, ...common };
  }
  const source = sources[0] as Source;
  const feed = new Reader(source, new Times(source, hooks.timed), hooks.changed);
  return { feed, search: new Search(source, feed, hooks.found), ...common };
}
