import { icon, make, type Words, words } from "../log/dom";
import { Actions } from "./actions";
import { above, decoded, type Entry, encoded, joined, Space, told } from "./api";
import { Bin } from "./bin";
import { crumbs } from "./crumbs";
import { type Chosen, dropping } from "./finding";
import { Picked } from "./picked";
import { Rows } from "./rows";
import { Item } from "./sending";
import { buttons, making } from "./tools";
import { Uploads } from "./uploads";
import { Viewer } from "./viewer";
import { Way } from "./way";

const PAUSE = 250;

/** Files in the browser: one folder at a time, what can be done with what is in it, and what is on its way into it. */
class FileCentre extends HTMLElement {
  #words!: Words;
  #space!: Space;
  #rows!: Rows;
  #uploads!: Uploads;
  #actions!: Actions;
  #way!: Way;
  #viewer: Viewer | undefined;
  #path = "";
  #next = "";
  #total = 0;
  #writable = false;
  #loading = false;
  #asked = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  #says!: HTMLElement;
  #crumbs!: HTMLElement;
  #tools!: HTMLElement;
  #picked!: Picked;
  #making: HTMLElement[] = [];
  #body!: HTMLElement;
  connectedCallback(): void {
    this.#words = words(this);
    this.#space = new Space(this.dataset.space ?? "");
    this.#path = this.dataset.path ?? "";
    this.#actions = new Actions(
      this.#space,
      this.#words,
      () => this.#load(),
      (failure) => this.#fail(failure),
      (...said) => this.#says.replaceChildren(...said),
    );
    this.#way = new Way(this.#space.name, this.dataset.user ?? "", (path) => {
      this.#path = path;
      void this.#load();
    });
    this.#build();
    document.addEventListener("turbo:before-visit", this.#stay);
    window.addEventListener("beforeunload", this.#unload);
    void (this.dataset.bin === undefined ? this.#load() : this.#binned());
  }

  disconnectedCallback(): void {
    clearTimeout(this.#again);
    document.removeEventListener("turbo:before-visit", this.#stay);
    window.removeEventListener("beforeunload", this.#unload);
    this.#way.leave();
    for (const item of this.#uploads.sending.items) this.#uploads.sending.pause(item);
  }

  get #sprite(): string {
    return this.dataset.sprite ?? "";
  }

  #build(): void {
    this.#says = make("p", { class: "faint small", role: "status" });
    this.#crumbs = make("nav", { class: "crumbs", "aria-label": this.#words("title") });
    this.#tools = make("div", { class: "buttons push" });
    const button = buttons(this.#words, this.#sprite);
    const take = (chosen: Chosen) => this.#send(chosen);
    this.#making = making(button, this.#actions, () => this.#path, take);
    this.#picked = new Picked(this.#words, button);
    this.#body = make("div", { class: "file-body" });
    this.#rows = new Rows(this.#words, this.#sprite, {
      href: (entry) => (entry.kind === "folder" ? this.#way.address(entry.path) : this.#space.content(entry.path)),
      open: (entry) => void this.#open(entry),
      chosen: () => this.#choose(),
      more: () => void this.#more(),
    });
    this.#uploads = new Uploads(this.#words, () => this.#soon());
    const find = make("input", {
      class: "input",
      type: "search",
      placeholder: this.#words("find"),
      "aria-label": this.#words("find"),
    });
    find.addEventListener("input", () => this.#find(find.value));
    const sheet = make(
      "section",
      { class: "sheet" },
      make("header", {}, this.#crumbs, this.#tools),
      this.#picked.element,
      this.#body,
    );
    this.replaceChildren(make("div", { class: "finder" }, this.#says, find), sheet, this.#uploads.element);
    sheet.dataset.drop = this.#words("drop");
    dropping(sheet, () => this.#writable, take);
  }

  #send(chosen: Chosen): void {
    const { name } = this.#space;
    const items = chosen.files.map(({ file, path }) => new Item(file, joined(this.#path, encoded(path)), name));
    this.#uploads.sending.add(items);
    void this.#actions.beside(chosen, this.#path);
  }

  async #open(entry: Entry): Promise<void> {
    if (entry.kind === "folder") return this.#go(entry.path);
    this.#viewer = new Viewer(this.#space, { ...entry, writable: this.#writable }, this.#words, () => this.#soon());
    await this.#viewer.show();
  }

  #go(path: string): Promise<void> {
    this.#way.go(path);
    this.#path = path;
    return this.#load();
  }

  async #load(keep = false): Promise<void> {
    const asked = ++this.#asked;
    try {
      const folder = await this.#space.look(this.#path);
      if (asked !== this.#asked) return;
      if (folder.kind !== "folder") {
        this.#path = above(folder.path);
        await this.#load();
        return this.#open(folder);
      }
      this.#writable = folder.writable === true;
      this.#next = folder.next ?? "";
      this.#total = folder.total ?? 0;
      this.#head();
      this.#list(folder.entries ?? [], keep);
    } catch (failure) {
      if (asked === this.#asked) this.#fail(failure);
    }
  }

  async #more(): Promise<void> {
    if (!this.#next || this.#loading) return;
    const asked = this.#asked;
    this.#loading = true;
    try {
      const page = await this.#space.look(this.#path, this.#next);
      if (asked !== this.#asked) return;
      this.#next = page.next ?? "";
      const at = this.#rows.element.scrollTop;
      this.#rows.show([...this.#rows.entries, ...(page.entries ?? [])], true);
      this.#rows.element.scrollTop = at;
    } catch (failure) {
      this.#fail(failure);
    } finally {
      this.#loading = false;
    }
  }

  /** Many files come one after another, and the folder is read once. */
  #soon(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.#load(true), PAUSE);
  }

  #list(entries: Entry[], keep: boolean): void {
    const none = make("p", { class: "empty" }, this.#words(this.#writable ? "none" : "noneShared"));
    this.#body.replaceChildren(entries.length === 0 ? none : this.#rows.element);
    this.#rows.show(entries, keep);
    this.#choose();
  }

  #head(): void {
    this.#says.textContent = this.#words("entries", this.#total);
    const go = (path: string) => void this.#go(path);
    this.#crumbs.replaceChildren(...crumbs(this.#words("top"), this.#path, (path) => this.#way.address(path), go));
    const zip = this.#space.content(this.#path, "zip");
    const load = make(
      "a",
      { class: "button", href: zip, download: "" },
      icon(this.#sprite, "download"),
      this.#words("zip"),
    );
    this.#tools.replaceChildren(...(this.#writable ? this.#making : []), load);
  }

  #fail(failure: unknown): void {
    this.#says.textContent = told(this.#words, failure);
    this.#says.classList.add("bad");
    setTimeout(() => this.#says.classList.remove("bad"), 5000);
  }

  #choose(): void {
    this.#picked.show({
      space: this.#space,
      rows: this.#rows,
      actions: this.#actions,
      path: this.#path,
      writable: this.#writable,
      mount: this.dataset.mount ? { path: this.dataset.mount, storage: this.dataset.storage } : undefined,
    });
  }

  #find(text: string): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void (text.trim() ? this.#found(text.trim()) : this.#load()), PAUSE);
  }

  async #found(name: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const found = await this.#space.find(this.#path, name);
      if (asked !== this.#asked) return;
      this.#next = "";
      // where each is says its whole path
      this.#list(
        found.entries.map((entry) => ({ ...entry, name: decoded(entry.path) })),
        false,
      );
      const count = found.entries.length === 0 ? this.#words("notFound") : this.#words("entries", found.entries.length);
      this.#says.textContent = found.whole ? count : `${count} · ${this.#words("notWhole")}`;
    } catch (failure) {
      if (asked === this.#asked) this.#fail(failure);
    }
  }

  async #binned(): Promise<void> {
    this.#crumbs.replaceChildren(make("b", {}, this.#words("binTitle")));
    const fail = (failure: unknown) => this.#fail(failure);
    const days = await new Bin(this.#space, this.#words, this.#body, fail).show().catch(fail);
    if (days !== undefined) this.#says.textContent = this.#words("binAbout", days);
  }

  #unload = (event: BeforeUnloadEvent): void => {
    if (this.#uploads.busy || this.#viewer?.touched) event.preventDefault();
  };

  #stay = (event: Event): void => {
    const word = this.#viewer?.touched ? "discard" : this.#uploads.busy ? "leave" : undefined;
    if (word && !confirm(this.#words(word))) event.preventDefault();
  };
}

customElements.define("file-centre", FileCentre);
