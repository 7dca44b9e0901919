import { amount, make, type Words } from "../log/dom";
import { reason } from "./api";
import { type Item, Sending } from "./sending";

type Shown = { row: HTMLElement; bar: HTMLProgressElement; says: HTMLElement; buttons: HTMLElement };

const MOST_SHOWN = 200;

/** What is being uploaded, how far it is, and what can be done about it. */
export class Uploads {
  readonly element = make("section", { class: "sheet file-uploads", hidden: true });
  readonly sending: Sending;
  readonly #words: Words;
  readonly #done: () => void;
  readonly #shown = new Map<Item, Shown>();
  readonly #list = make("ul", { class: "list" });
  readonly #summary = make("span", { class: "faint small", role: "status" });
  #waiting = false;

  constructor(words: Words, done: () => void) {
    this.#words = words;
    this.#done = done;
    this.sending = new Sending((item) => this.#changed(item));
    const all = (word: string, does: (item: Item) => void) =>
      make(
        "button",
        { class: "button small", type: "button", onclick: () => [...this.sending.items].forEach(does) },
        words(word),
      );
    this.element.append(
      make(
        "header",
        {},
        make("h2", {}, words("uploads")),
        this.#summary,
        make(
          "span",
          { class: "push buttons" },
          all("pauseAll", (item) => this.sending.pause(item)),
          all("resumeAll", (item) => this.sending.resume(item)),
          make(
            "button",
            { class: "button small", type: "button", onclick: () => this.sending.clear() },
            words("clearDone"),
          ),
        ),
      ),
      this.#list,
    );
    this.element.setAttribute("aria-label", words("uploads"));
  }

  get busy(): boolean {
    return this.sending.items.some((item) => item.state === "sending" || item.state === "waiting");
  }

  #changed(item: Item | undefined): void {
    if (item?.state === "done") this.#done();
    if (this.#waiting) return;
    this.#waiting = true;
    setTimeout(() => {
      this.#waiting = false;
      this.#draw();
    }, 80);
  }

  #draw(): void {
    const items = this.sending.items;
    this.element.hidden = items.length === 0;
    const done = items.filter((item) => item.state === "done").length;
    this.#summary.textContent = this.#words("summary", done, items.length);
    // those that somebody can do something about, before those that are over
    const first = items.filter((item) => item.state !== "done" && item.state !== "waiting");
    const shown = new Set([...first, ...items].slice(0, MOST_SHOWN));
    for (const [item, { row }] of this.#shown) {
      if (shown.has(item)) continue;
      row.remove();
      this.#shown.delete(item);
    }
    for (const item of items) if (shown.has(item)) this.#one(item);
  }

  #one(item: Item): void {
    let shown = this.#shown.get(item);
    if (!shown) {
      const bar = make("progress", { max: Math.max(1, item.file.size), "aria-label": item.path });
      const says = make("span", { class: "faint small says" });
      const buttons = make("span", { class: "buttons" });
      const row = make("li", {}, make("div", {}, make("span", { class: "name" }, item.path), bar), says, buttons);
      shown = { row, bar, says, buttons };
      this.#shown.set(item, shown);
      this.#list.append(row);
    }
    shown.bar.value = item.state === "done" ? shown.bar.max : item.sent;
    shown.says.textContent = this.#says(item);
    if (shown.row.dataset.state === item.state) return;
    shown.row.dataset.state = item.state;
    shown.buttons.replaceChildren(...this.#buttons(item));
  }

  #says(item: Item): string {
    const { file, sent, state } = item;
    if (state === "sending") return this.#words("sending", amount(sent), amount(file.size));
    if (state === "paused") return this.#words("paused", amount(sent), amount(file.size));
    if (state === "failed") return this.#words("failed", this.#words(reason(item.status)));
    return state === "done" ? `${this.#words("done")} · ${amount(file.size)}` : this.#words("waiting");
  }

  #buttons(item: Item): HTMLElement[] {
    const button = (word: string, does: () => void) =>
      make(
        "button",
        { class: "button small", type: "button", onclick: does, "aria-label": `${this.#words(word)} ${item.path}` },
        this.#words(word),
      );
    const { sending } = this;
    const cancel = button("stop", () => sending.cancel(item));
    if (item.state === "sending" || item.state === "waiting")
      return [button("pause", () => sending.pause(item)), cancel];
    if (item.state === "paused") return [button("resume", () => sending.resume(item)), cancel];
    if (item.state === "done") return [];
    const again =
      item.status === 409
        ? button("replace", () => sending.replace(item))
        : button("resume", () => sending.resume(item));
    return [again, cancel];
  }
}
