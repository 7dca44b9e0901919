import { decoded, type Entry } from "./api";

/** Where a job of one's own has these files. */
export type Mount = { path: string; storage: string | undefined };

/** The page of a job that opens it in a notebook; undefined: it is nothing for one, or no job has it, or its name is no text. */
export function notebookOf(mount: Mount | undefined, entry: Entry): string | undefined {
  const file = entry.kind === "file" && entry.name.endsWith(".ipynb");
  if (!mount || (entry.kind !== "folder" && !file)) return undefined;
  const path = decoded(entry.path);
  if (path === entry.path && path.includes("%")) return undefined;
  const names = path.split("/");
  const name = file ? (names.pop() ?? "") : "";
  const query = new URLSearchParams({ notebook: [mount.path, ...names].join("/") });
  if (name) query.set("file", name);
  if (mount.storage) query.set("storage", mount.storage);
  return `/jobs/new?${query}`;
}
