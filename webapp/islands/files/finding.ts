import { make } from "../log/dom";

/** A file of somebody's machine, and where it is in what they chose. */
export type Found = { file: File; path: string };

/** What somebody chose: files, folders with nothing in them, and what the browser could not read. */
export type Chosen = { files: Found[]; empty: string[]; unread: string[] };

/** Files dropped with their folders. */
async function dropped(data: DataTransfer): Promise<Chosen> {
  const chosen: Chosen = { files: [], empty: [], unread: [] };
  const visit = async (entry: FileSystemEntry, within: string): Promise<void> => {
    const path = within ? `${within}/${entry.name}` : entry.name;
    let inside: FileSystemEntry[];
    try {
      if (entry.isFile) {
        const file = await new Promise<File>((yes, no) => (entry as FileSystemFileEntry).file(yes, no));
        chosen.files.push({ file, path });
        return;
      }
      inside = await all((entry as FileSystemDirectoryEntry).createReader());
    } catch {
      chosen.unread.push(path);
      return;
    }
    if (inside.length === 0) chosen.empty.push(path);
    for (const one of inside) await visit(one, path);
  };
  // the browser forgets them when the event is over
  const entries: FileSystemEntry[] = [];
  for (const item of data.items) {
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    // from a letter or another page: it has no place on this machine
    else if (file) chosen.files.push({ file, path: file.name });
  }
  for (const entry of entries) await visit(entry, "");
  return chosen;
}

/** The browser hands out a hundred at once, and in the end none. */
async function all(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
    if (some.length === 0) return entries;
    for (const one of some) entries.push(one);
  }
}

/** Lets files and folders be dropped on an element; where they may not be, they are not opened by the browser either. */
export function dropping(place: HTMLElement, may: () => boolean, take: (chosen: Chosen) => void): void {
  place.addEventListener("dragover", (event) => {
    const data = filesOf(event);
    if (!data) return;
    event.preventDefault();
    if (may()) place.classList.add("over");
    else data.dropEffect = "none";
  });
  place.addEventListener("dragleave", (event) => {
    if (!place.contains(event.relatedTarget as Node | null)) place.classList.remove("over");
  });
  place.addEventListener("drop", (event) => {
    place.classList.remove("over");
    const data = filesOf(event);
    if (!data) return;
    event.preventDefault();
    if (may()) void dropped(data).then(take);
  });
}

function filesOf({ dataTransfer }: DragEvent): DataTransfer | undefined {
  return dataTransfer?.types.includes("Files") ? dataTransfer : undefined;
}

/** Asks for files, or for a folder. */
export function pick(folder: boolean, take: (chosen: Chosen) => void): void {
  const input = make("input", { type: "file", multiple: true, webkitdirectory: folder });
  input.addEventListener("change", () =>
    take({
      files: [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name })),
      empty: [],
      unread: [],
    }),
  );
  input.click();
}
