import type { Words } from "../log/dom";

export type Kind = "folder" | "file" | "link" | "other";

export type Entry = {
  name: string;
  /** Percent-encoded byte by byte, as every call takes it; what is decoded may be another name. */
  path: string;
  kind: Kind;
  size: number | null;
  modified: number;
  etag: string;
  writable?: boolean;
  entries?: Entry[];
  next?: string | null;
  total?: number;
};

export type Deleted = Entry & { id: string; deleted: number };

/** What the gateway did not do; 0: it did not answer. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, said: { code?: string; message?: string } = {}) {
    super(said.message ?? String(status));
    this.status = status;
    this.code = said.code ?? "";
  }
}

/** How to hear of what takes long: how many bytes it has moved, and what ends it before its end. */
export type Going = (bytes: number, stop: () => void) => void;

const REASONS = [400, 401, 403, 404, 409, 412, 413, 422, 423, 429, 507];
/** Between two looks at what takes long, in ms. */
const AGAIN = 1000;
/** Looks that are not answered before it is given up. */
const MOST_UNHEARD = 60;

/** The word for why something was not done. */
export const reason = (status: number) => `e${REASONS.includes(status) ? status : 0}`;

/** Why something was not done; of an archive, at which of its entries. */
export function told(words: Words, failure: unknown): string {
  if (!(failure instanceof Failure)) return words(reason(0));
  if (failure.code === "StoppedError") return words("stopped");
  const why = /^Archive(\w+)Error$/.exec(failure.code)?.[1];
  if (!why) return words(reason(failure.status));
  const entry = /^"([\s\S]*)": /.exec(failure.message)?.[1];
  return `${words("unpackedNot")} ${words(`u${why}`)}${entry ? ` (${entry})` : ""}`;
}

export const PAGE = 500;

/** One tree of files, over the API. */
export class Space {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  address(rest: string, query: Record<string, string>): string {
    const asked = Object.entries(query).map(([key, value]) => `${key}=${value}`);
    return `/api/v2/files/${this.name}${rest}?${asked.join("&")}`;
  }

  async #ask(method: string, address: string, more: RequestInit = {}): Promise<Response> {
    const answer = await fetch(address, { method, ...more }).catch(() => {
      throw new Failure(0);
    });
    if (!answer.ok) throw new Failure(answer.status, await answer.json().catch(() => ({})));
    return answer;
  }

  async look(path: string, after = ""): Promise<Entry> {
    const query = { path, limit: String(PAGE), ...(after ? { after } : {}) };
    return (await this.#ask("GET", this.address("", query))).json();
  }

  async find(path: string, name: string): Promise<{ entries: Entry[]; whole: boolean }> {
    return (await this.#ask("GET", this.address("/search", { path, name: encodeURIComponent(name) }))).json();
  }

  async bin(): Promise<{ deleted: Deleted[]; days: number }> {
    return (await this.#ask("GET", this.address("/bin", {}))).json();
  }

  content(path: string, as = ""): string {
    return this.address("/content", as ? { path, as } : { path });
  }

  /** The bytes up to a limit, and the version that they are of. */
  async read(path: string, most: number): Promise<{ bytes: Uint8Array; etag: string; size: number }> {
    const answer = await fetch(this.content(path), { headers: { Range: `bytes=0-${most - 1}` } });
    const etag = answer.headers.get("ETag") ?? "";
    if (answer.status === 416) return { bytes: new Uint8Array(), etag, size: 0 };
    if (!answer.ok) throw new Failure(answer.status);
    const whole = answer.headers.get("Content-Range")?.split("/")[1];
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { bytes, etag, size: whole ? Number(whole) : bytes.length };
  }

  /** @param etag that it must have; empty: there must be none */
  async write(path: string, text: string, etag: string | undefined): Promise<string> {
    const headers: Record<string, string> =
      etag === undefined ? {} : etag ? { "If-Match": etag } : { "If-None-Match": "*" };
    const answer = await this.#ask("PUT", this.content(path), { body: text, headers });
    return answer.headers.get("ETag") ?? "";
  }

  async make(path: string): Promise<void> {
    await this.#ask("POST", this.address("/folder", { path }));
  }

  /** A folder below another, with those on the way to it; what is one already stays. */
  async makeAll(folder: string, below: string): Promise<void> {
    let path = folder;
    for (const name of below.split("/")) {
      path = joined(path, name);
      await this.make(path).catch(async (failure) => {
        if ((await this.look(path)).kind !== "folder") throw failure;
      });
    }
  }

  async move(path: string, to: string): Promise<void> {
    await this.#ask("POST", this.address("/move", { path, to }));
  }

  async copy(path: string, to: string, going: Going): Promise<void> {
    await this.#whole(await this.#ask("POST", this.address("/copy", { path, to })), going);
  }

  /** @param collisions what becomes of two files of one name; empty: it goes into a folder that there is not */
  async unpack(path: string, to: string, collisions: string, going: Going): Promise<void> {
    const query = { path, to, ...(collisions ? { collisions } : {}) };
    await this.#whole(await this.#ask("POST", this.address("/unpack", query)), going);
  }

  /** The address by which others may have it. */
  async share(path: string, hours: string): Promise<string> {
    const answer = await this.#ask("POST", this.address("/link", { path, hours: encodeURIComponent(hours) }));
    return (await answer.json()).url;
  }

  /** What goes on past its answer is asked after until it has ended. */
  async #whole(answer: Response, going: Going): Promise<void> {
    if (answer.status !== 202) return;
    const address = answer.headers.get("Location") ?? "";
    const stop = () => void fetch(address, { method: "DELETE" }).catch(() => undefined);
    for (let unheard = 0; unheard < MOST_UNHEARD; ) {
      await new Promise((later) => setTimeout(later, AGAIN));
      const now = await fetch(address).catch(() => undefined);
      if (now === undefined || now.status >= 500) {
        unheard++;
        continue;
      }
      if (!now.ok) throw new Failure(now.status);
      const { state, bytes, status, ...said } = await now.json();
      if (state === "done") return;
      if (state === "failed") throw new Failure(status, said);
      unheard = 0;
      going(bytes, stop);
    }
    throw new Failure(0);
  }

  /** @param forever not into the bin, for which a full disk has no room */
  async remove(path: string, forever = false): Promise<void> {
    const query = { path, ...(forever ? { forever: "1" } : {}) };
    await this.#whole(await this.#ask("DELETE", this.address("", query)), () => undefined);
  }

  async restore(id: string): Promise<void> {
    await this.#ask("POST", `/api/v2/files/${this.name}/bin/${id}`);
  }

  async forget(id: string): Promise<void> {
    await this.#whole(await this.#ask("DELETE", `/api/v2/files/${this.name}/bin/${id}`), () => undefined);
  }
}

export const joined = (folder: string, name: string) => (folder ? `${folder}/${name}` : name);
export const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const last = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** A path as people write it, for the API. */
export const encoded = (path: string) =>
  path
    .split("/")
    .filter((name) => name.length > 0)
    .map(encodeURIComponent)
    .join("/");

/** What an encoded name says, where it is text. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
