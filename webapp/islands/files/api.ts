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

  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}

const REASONS = [400, 401, 403, 404, 409, 412, 413, 422, 429, 507];

/** The word for why something was not done. */
export const reason = (status: number) => `e${REASONS.includes(status) ? status : 0}`;

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
    if (!answer.ok) throw new Failure(answer.status);
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
    if (answer.status === 416) return { bytes: new Uint8Array(), etag: "", size: 0 };
    if (!answer.ok) throw new Failure(answer.status);
    const whole = answer.headers.get("Content-Range")?.split("/")[1];
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return { bytes, etag: answer.headers.get("ETag") ?? "", size: whole ? Number(whole) : bytes.length };
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

  async move(path: string, to: string): Promise<void> {
    await this.#ask("POST", this.address("/move", { path, to }));
  }

  async copy(path: string, to: string): Promise<void> {
    await this.#ask("POST", this.address("/copy", { path, to }));
  }

  /** The address by which others may have it. */
  async share(path: string, hours: string): Promise<string> {
    const answer = await this.#ask("POST", this.address("/link", { path, hours: encodeURIComponent(hours) }));
    return (await answer.json()).url;
  }

  async remove(path: string): Promise<void> {
    await this.#ask("DELETE", this.address("", { path }));
  }

  async restore(id: string): Promise<void> {
    await this.#ask("POST", `/api/v2/files/${this.name}/bin/${id}`);
  }

  async forget(id: string): Promise<void> {
    await this.#ask("DELETE", `/api/v2/files/${this.name}/bin/${id}`);
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
