import { decoded } from "./api";
import { Upload } from "./tus";

const AT_ONCE = 3;

export type State = "waiting" | "sending" | "paused" | "done" | "failed";

/** A file on its way to the gateway. */
export class Item {
  state: State = "waiting";
  sent = 0;
  status = 0;
  upload: Upload | undefined;

  readonly file: File;
  /** In its space, as people read it. */
  readonly path: string;
  /** The same, encoded: a folder's name need not be text. */
  readonly place: string;
  readonly space: string;

  constructor(file: File, place: string, space: string) {
    this.file = file;
    this.place = place;
    this.path = place.split("/").map(decoded).join("/");
    this.space = space;
  }
}

/** What is being uploaded: a few at a time, and each goes on where it was after a broken line, a pause or a closed page. */
export class Sending {
  readonly items: Item[] = [];
  readonly #changed: (item: Item | undefined) => void;

  constructor(changed: (item: Item | undefined) => void) {
    this.#changed = changed;
  }

  add(items: Item[]): void {
    for (const item of items) this.items.push(item);
    this.#changed(undefined);
    this.#next();
  }

  pause(item: Item): void {
    if (item.state !== "sending" && item.state !== "waiting") return;
    item.upload?.pause();
    this.#set(item, "paused");
    this.#next();
  }

  resume(item: Item): void {
    if (item.state !== "paused" && item.state !== "failed") return;
    this.#set(item, "waiting");
    this.#next();
  }

  replace(item: Item): void {
    item.upload = this.#upload(item, true);
    this.#begin(item);
  }

  cancel(item: Item): void {
    const at = this.items.indexOf(item);
    if (at >= 0) this.items.splice(at, 1);
    if (item.state !== "done") item.upload?.stop();
    this.#changed(undefined);
    this.#next();
  }

  clear(): void {
    const left = this.items.filter((item) => item.state !== "done");
    this.items.splice(0, this.items.length, ...left);
    this.#changed(undefined);
  }

  #set(item: Item, state: State): void {
    item.state = state;
    this.#changed(item);
  }

  #next(): void {
    let busy = this.items.filter((item) => item.state === "sending").length;
    for (const item of this.items) {
      if (busy >= AT_ONCE) return;
      if (item.state !== "waiting") continue;
      busy++;
      this.#begin(item);
    }
  }

  #begin(item: Item): void {
    this.#set(item, "sending");
    item.upload ??= this.#upload(item, false);
    item.upload.start();
  }

  #upload(item: Item, replaces: boolean): Upload {
    return new Upload(item.file, item.place, item.space, replaces, {
      progress: (sent) => {
        item.sent = sent;
        this.#changed(item);
      },
      done: () => {
        item.sent = item.file.size;
        this.#set(item, "done");
        this.#next();
      },
      failed: (status) => {
        item.status = status;
        this.#set(item, "failed");
        this.#next();
      },
    });
  }
}
