import { amount, listed, make, numbers, type Words } from "../log/dom";
import { above, decoded, type Entry, encoded, Failure, type Going, joined, last, type Space } from "./api";
import { ask, say, sure, tell } from "./dialogs";
import type { Chosen } from "./finding";
import { askUnpack } from "./unpack";

const MOST_HOURS = 720;

/** What somebody does with files: what they mean is asked first, and what was done is seen after. */
export class Actions {
  readonly #space: Space;
  readonly #words: Words;
  readonly #done: () => Promise<void>;
  readonly #failed: (failure: unknown) => void;
  readonly #tell: (...said: (string | Node)[]) => void;

  constructor(
    space: Space,
    words: Words,
    done: () => Promise<void>,
    failed: (failure: unknown) => void,
    tell: (...said: (string | Node)[]) => void,
  ) {
    this.#tell = tell;
    this.#space = space;
    this.#words = words;
    this.#done = done;
    this.#failed = failed;
  }

  async #do(step: () => Promise<unknown>): Promise<void> {
    // of many, those that were done before one failed are seen too
    await step().then(
      () => this.#done(),
      (failure) => this.#done().then(() => this.#failed(failure)),
    );
  }

  async make(title: "newFolder" | "newFile", folder: string): Promise<void> {
    const name = await ask(this.#words, this.#words(title), this.#words("askName"), "");
    if (!name) return;
    const path = joined(folder, encodeURIComponent(name));
    await this.#do(() => (title === "newFolder" ? this.#space.make(path) : this.#space.write(path, "", "")));
  }

  /** What there is no file to send for: folders with nothing in them are made, and what could not be read is told. */
  async beside({ empty, unread }: Chosen, folder: string): Promise<void> {
    if (unread.length > 0) say(this.#words, this.#words("unread", listed(unread)));
    if (empty.length === 0) return;
    await this.#do(async () => {
      for (const path of empty) await this.#space.makeAll(folder, encoded(path));
    });
  }

  async rename(entry: Entry): Promise<void> {
    // what was found by its name is shown with the whole way to it
    const now = decoded(last(entry.path));
    const name = await ask(this.#words, this.#words("rename"), this.#words("askName"), now);
    if (name && name !== now)
      await this.#do(() => this.#space.move(entry.path, joined(above(entry.path), encodeURIComponent(name))));
  }

  async elsewhere(entries: Entry[], how: "move" | "copyTo", folder: string): Promise<void> {
    const to = await ask(this.#words, this.#words(how), this.#words("askTo"), decoded(folder), {
      required: false,
    });
    if (to === undefined) return;
    const going = this.#going("copying");
    await this.#do(async () => {
      for (const entry of entries) {
        const target = joined(encoded(to), last(entry.path));
        await (how === "move" ? this.#space.move(entry.path, target) : this.#space.copy(entry.path, target, going));
      }
    });
  }

  /** What takes long can be stopped where it is told. */
  #going(word: string): Going {
    return (bytes, stop) => {
      const end = make("button", { class: "button small", type: "button", onclick: stop }, this.#words("stop"));
      this.#tell(`${this.#words(word, amount(bytes))} `, end);
    };
  }

  async unpack(entry: Entry, folder: string): Promise<void> {
    const where = await askUnpack(this.#words, entry);
    if (!where) return;
    const to = where.name ? joined(folder, encodeURIComponent(where.name)) : folder;
    this.#tell(this.#words("unpacking", amount(0)));
    await this.#do(() => this.#space.unpack(entry.path, to, where.collisions, this.#going("unpacking")));
  }

  /** The link is shown once, to be copied. */
  async share(entry: Entry): Promise<void> {
    const hours = await ask(this.#words, this.#words("share"), this.#words("shareHours"), "168", {
      type: "number",
      min: 1,
      max: MOST_HOURS,
    });
    if (!hours) return;
    try {
      const url = await this.#space.share(entry.path, hours.trim());
      tell(this.#words, this.#words("share"), this.#words("shareDone"), new URL(url, location.href).href);
    } catch (failure) {
      this.#failed(failure);
    }
  }

  async remove(entries: Entry[]): Promise<void> {
    const what = entries.length === 1 ? (entries[0]?.name ?? "") : numbers().format(entries.length);
    if (!(await sure(this.#words, this.#words("deleteAsk", what), this.#words("delete")))) return;
    await this.#do(async () => {
      for (const entry of entries) await this.#space.remove(entry.path).catch((failure) => this.#full(failure, entry));
    });
  }

  /** What fills a disk can go where there is no room for the bin. */
  async #full(failure: unknown, entry: Entry): Promise<void> {
    const full = failure instanceof Failure && failure.status === 507;
    if (!full || !(await sure(this.#words, this.#words("fullAsk", entry.name), this.#words("forget")))) throw failure;
    await this.#space.remove(entry.path, true);
  }
}
