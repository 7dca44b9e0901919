import { make } from "../log/dom";

/** A file of somebody's machine, and where it is in what they chose. */
export type Found = { file: File; path: string };

/** Files dropped with their folders: what the browser calls an entry is asked for until it has no more. */
async function dropped(data: DataTransfer): Promise<Found[]> {
  const found: Found[] = [];
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const visit = async (entry: FileSystemEntry, within: string): Promise<void> => {
    const path = within ? `${within}/${entry.name}` : entry.name;
    if (entry.isFile) {
      const file = await new Promise<File>((yes, no) => (entry as FileSystemFileEntry).file(yes, no));
      found.push({ file, path });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
      if (some.length === 0) return;
      for (const one of some) await visit(one, path);
    }
  };
  for (const entry of entries) await visit(entry, "");
  return found;
}

/** Lets files and folders be dropped on an element. */
export function dropping(place: HTMLElement, may: () => boolean, take: (found: Found[]) => void): void {
  const files = (event: DragEvent) => may() && event.dataTransfer?.types.includes("Files");
  place.addEventListener("dragover", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", (event) => {
    if (!place.contains(event.relatedTarget as Node | null)) place.classList.remove("over");
  });
  place.addEventListener("drop", (event) => {
    place.classList.remove("over");
    if (!files(event) || !event.dataTransfer) return;
    event.preventDefault();
    void dropped(event.dataTransfer).then(take);
  });
}

/** Asks for files, or for a folder. */
export function pick(folder: boolean, take: (found: Found[]) => void): void {
  const input = make("input", { type: "file", multiple: true, webkitdirectory: folder });
  input.addEventListener("change", () =>
    take([...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }))),
  );
  input.click();
}
