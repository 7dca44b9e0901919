import { JobText } from "./job-text";

const LARGEST = 1 << 20;

/** Without a text: the file is none. A paste has no file's name. */
type Imported = (text: string | undefined, file: string) => void;

/** A whole job from a file that is chosen, dropped or pasted, or from pasted text. */
export class Imports {
  readonly #within: HTMLElement;
  readonly #imported: Imported;

  constructor(within: HTMLElement, imported: Imported) {
    this.#within = within;
    this.#imported = imported;
    within.addEventListener("change", this.#picked);
    within.addEventListener("dragover", this.#dragged);
    within.addEventListener("drop", this.#dropped, { capture: true });
    document.addEventListener("paste", this.#pasted);
  }

  stop(): void {
    this.#within.removeEventListener("change", this.#picked);
    this.#within.removeEventListener("dragover", this.#dragged);
    this.#within.removeEventListener("drop", this.#dropped, { capture: true });
    document.removeEventListener("paste", this.#pasted);
  }

  #picked = (event: Event): void => {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || input.type !== "file") return;
    void this.#read(input.files?.[0]);
    input.value = "";
  };

  #dragged = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };

  /** Before the editor, which would put the file's text where it was dropped. */
  #dropped = (event: DragEvent): void => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    event.stopPropagation();
    void this.#read(file);
  };

  /** Into a field it goes as anywhere; elsewhere on the page it is a whole job. */
  #pasted = (event: ClipboardEvent): void => {
    const target = event.target as Element;
    if (target.closest("input, textarea, select, .cm-editor, [popover]")) return;
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (file) void this.#read(file);
    else if (JobText.read(text)?.at(["taskRoles"]) !== undefined) this.#imported(text, "");
  };

  async #read(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      if (file.size > LARGEST) throw new RangeError("too large");
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      this.#imported(text.replaceAll("\r\n", "\n"), file.name);
    } catch {
      this.#imported(undefined, file.name); // no text, or the file is gone
    }
  }
}

/** The text of a template under a free name, and what is to be said of it; nothing for who is signed out. */
export async function templateOf(id: string): Promise<{ text?: string; words?: Element }> {
  const page = await fetch(`/jobs/new?template=${encodeURIComponent(id)}`, { headers: { Accept: "text/html" } });
  const read = new DOMParser().parseFromString(await page.text(), "text/html");
  const words = read.querySelector(".words .notice");
  const text = read.querySelector<HTMLTextAreaElement>("#text")?.value;
  return { ...(text === undefined ? {} : { text }), ...(words ? { words: document.adoptNode(words) } : {}) };
}
