import { amount, make, type Words } from "../log/dom";
import { type Entry, Failure, reason, type Space } from "./api";
import { sure } from "./dialogs";
import { notebook, table } from "./show";
import type { TextEditor } from "./text-editor";

const PICTURES = new Set(["png", "jpg", "jpeg", "gif", "webp", "bmp"]);
const MOST_SHOWN = 1 << 20;
const MOST_NOTEBOOK = 16 << 20;
const MOST_EDITED = 4 << 20;
const LOOK_AGAIN = 5000;

const strip = (etag: string) => etag.replaceAll('"', "");

/** One file, to look at and to change. */
export class Viewer {
  readonly #dialog: HTMLDialogElement;
  readonly #place = make("div", { class: "place" });
  readonly #says = make("p", { class: "small faint", role: "status" });
  readonly #warning = make("div", { class: "notice bad", role: "alert", hidden: true });
  readonly #buttons = make("span", { class: "push buttons" });
  #editor: TextEditor | undefined;
  #etag = "";
  #timer: ReturnType<typeof setInterval> | undefined;
  /** One at a time: the next one's version is what this one makes. */
  #saving = false;
  /** Grows with each that begins and ends. */
  #saves = 0;

  readonly space: Space;
  readonly entry: Entry;
  readonly words: Words;
  readonly changed: () => void;

  constructor(space: Space, entry: Entry, words: Words, changed: () => void) {
    this.space = space;
    this.entry = entry;
    this.words = words;
    this.changed = changed;
    this.#dialog = make("dialog", { class: "file-view", "aria-label": entry.name });
    const close = make(
      "button",
      { class: "button", type: "button", onclick: () => void this.#leave() },
      words("close"),
    );
    const header = make("header", {}, make("h2", {}, entry.name), this.#says, this.#buttons, close);
    this.#dialog.append(header, this.#warning, this.#place);
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      void this.#leave();
    });
    this.#dialog.addEventListener("close", () => this.#end());
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }

  async show(): Promise<void> {
    const { space, entry, words } = this;
    const end = entry.name.slice(entry.name.lastIndexOf(".") + 1).toLowerCase();
    const load = make(
      "a",
      { class: "button", href: space.content(entry.path), download: entry.name },
      words("download"),
    );
    this.#buttons.replaceChildren(load);
    this.#says.textContent = amount(entry.size ?? 0);
    if (PICTURES.has(end)) {
      const picture = make("img", { src: space.content(entry.path, "picture"), alt: entry.name });
      picture.addEventListener("error", () => this.#tell(words("noPicture")));
      this.#place.replaceChildren(picture);
      return;
    }
    try {
      const { bytes, size } = await space.read(entry.path, end === "ipynb" ? MOST_NOTEBOOK : MOST_SHOWN);
      const text = textOf(bytes, size > bytes.length);
      if (text === undefined) return this.#tell(words("binary"));
      this.#place.replaceChildren(this.#preview(text, end));
      if (size > bytes.length) this.#says.textContent += ` · ${words("part", amount(bytes.length))}`;
      if (size <= MOST_EDITED && entry.writable !== false)
        this.#buttons.prepend(
          make("button", { class: "button", type: "button", onclick: () => void this.edit() }, words("edit")),
        );
    } catch (failure) {
      this.#tell(words(reason(failure instanceof Failure ? failure.status : 0)));
    }
  }

  get touched(): boolean {
    return this.#dialog.isConnected && this.#editor?.touched === true;
  }

  #fail(failure: unknown): undefined {
    this.#says.textContent = this.words(reason(failure instanceof Failure ? failure.status : 0));
  }

  #preview(text: string, end: string): HTMLElement {
    try {
      if (end === "csv" || end === "tsv") return table(text, end === "csv" ? "," : "\t");
      if (end === "ipynb") return notebook(text, this.words);
    } catch {
      return make("pre", { tabindex: "0" }, text); // not what its name says
    }
    return make("pre", { tabindex: "0" }, text);
  }

  #tell(text: string): void {
    this.#place.replaceChildren(make("p", { class: "empty" }, text));
  }

  async edit(): Promise<void> {
    const parts = [import("./text-editor"), this.space.read(this.entry.path, MOST_EDITED)] as const;
    const whole = await Promise.all(parts).catch((failure: unknown) => this.#fail(failure));
    if (!whole || !this.#dialog.isConnected) return;
    const [{ TextEditor }, read] = whole;
    // a part of it that is saved would be all that is left
    if (read.size > read.bytes.length) {
      this.#says.textContent = this.words("tooLarge", amount(read.size));
      return;
    }
    const text = textOf(read.bytes, false);
    if (text === undefined) return this.#tell(this.words("binary"));
    this.#etag = read.etag;
    this.#warning.hidden = true;
    this.#place.replaceChildren();
    this.#editor?.remove();
    this.#editor = new TextEditor(this.#place, text, this.entry.name, () => void this.#save(false));
    this.#buttons.replaceChildren(
      make(
        "button",
        { class: "button primary", type: "button", onclick: () => void this.#save(false) },
        this.words("save"),
      ),
    );
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#compare(), LOOK_AGAIN);
  }

  async #compare(): Promise<void> {
    if (!this.#dialog.isConnected) return this.#end(); // Turbo has brought another page
    const saves = this.#saves;
    const now = await this.space.look(this.entry.path).catch(() => undefined);
    if (now && this.#etag && saves === this.#saves && now.etag !== strip(this.#etag)) this.#warn();
  }

  #warn(): void {
    if (!this.#warning.hidden) return;
    const button = (word: string, does: () => void) =>
      make("button", { class: "button small", type: "button", onclick: does }, this.words(word));
    this.#warning.replaceChildren(
      make("p", {}, this.words("changed")),
      button("reload", () => void this.edit()),
      button("overwrite", () => void this.#save(true)),
    );
    this.#warning.hidden = false;
  }

  async #save(over: boolean): Promise<void> {
    const editor = this.#editor;
    if (!editor || this.#saving) return;
    const text = editor.text;
    this.#saving = true;
    this.#saves++;
    try {
      this.#etag = await this.space.write(this.entry.path, text, over || !this.#etag ? undefined : this.#etag);
      editor.written(text);
      this.#warning.hidden = true;
      this.#says.textContent = this.words("saved");
      this.changed();
    } catch (failure) {
      if (failure instanceof Failure && failure.status === 412) this.#warn();
      this.#fail(failure);
    } finally {
      this.#saving = false;
      this.#saves++;
    }
  }

  async #leave(): Promise<void> {
    if (this.#editor?.touched && !(await sure(this.words, this.words("discard"), this.words("discardDo")))) return;
    this.#dialog.close();
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#editor?.remove();
    this.#dialog.remove();
  }
}

/** Undefined: it is none. Of a part, the last letter may be half of one. */
function textOf(bytes: Uint8Array, part: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: part });
  } catch {
    return undefined;
  }
}
