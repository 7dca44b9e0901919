const UPLOADS = "/api/v2/uploads";
/** Of a file: a proxy on the way may take no more at once, and a broken line costs no more. */
const PIECE = 64 << 20;
/** After each that brought nothing, in ms. */
const WAITS = [0, 1000, 3000, 5000, 10_000, 20_000, 30_000, 60_000];
/** So long a line may say nothing, in ms. */
const SILENT = 120_000;
const KEPT = "sluice.upload.";
/** No gateway keeps one longer that nobody goes on with, in ms. */
const LIFE = 24 * 3_600_000;

export type Told = {
  progress: (sent: number) => void;
  done: () => void;
  /** 0: no answer */
  failed: (status: number) => void;
};

/** A file that goes to the gateway in pieces, by the tus protocol 1.0, and goes on where it was. */
export class Upload {
  readonly #file: File;
  readonly #place: string;
  readonly #space: string;
  readonly #replaces: boolean;
  readonly #key: string;
  readonly #told: Told;
  #url: string | undefined;
  #request: XMLHttpRequest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #kept = 0;

  constructor(file: File, place: string, space: string, replaces: boolean, told: Told) {
    this.#file = file;
    this.#place = place;
    this.#space = space;
    this.#replaces = replaces;
    this.#told = told;
    // another file of the same name and place is another upload, and so is one into another space
    this.#key = [KEPT + space, place, file.size, file.lastModified].join("-");
    this.#url = recalled(this.#key);
    if (replaces) this.#leave();
  }

  start(): void {
    this.#failures = 0;
    this.#go();
  }

  pause(): void {
    clearTimeout(this.#timer);
    const request = this.#request;
    this.#request = undefined;
    request?.abort();
  }

  /** Nobody goes on with it. */
  stop(): void {
    this.pause();
    this.#leave();
  }

  #leave(): void {
    // one that is not heard of there is cleared after its time
    if (this.#url) fetch(this.#url, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } }).catch(() => undefined);
    this.#forget();
  }

  #forget(): void {
    this.#url = undefined;
    localStorage.removeItem(this.#key);
  }

  #go(): void {
    if (this.#url) this.#look(this.#url);
    else this.#begin();
  }

  #begin(): void {
    const said = {
      path: bytesOf(this.#place),
      // whose tree it is; another's home is nobody's to write to
      ...(this.#space.startsWith("@") ? { space: this.#space } : {}),
      ...(this.#replaces ? { replace: "true" } : {}),
    };
    const metadata = Object.entries(said).map(([key, value]) => `${key} ${btoa(value)}`);
    this.#kept = 0;
    const headers = { "Upload-Length": String(this.#file.size), "Upload-Metadata": metadata.join(",") };
    this.#ask("POST", UPLOADS, headers, null, (answer) => {
      const url = new URL(answer.getResponseHeader("Location") ?? "", location.href).pathname;
      if (answer.status !== 201 || !url.startsWith(`${UPLOADS}/`)) return this.#fail(answer, answer.status !== 409);
      if (this.#file.size === 0) return this.#done();
      this.#url = url;
      remember(this.#key, url);
      this.#send(url, 0);
    });
  }

  #look(url: string): void {
    this.#ask("HEAD", url, {}, null, (answer) => {
      if (answer.status === 404 || answer.status === 410) {
        this.#forget();
        return this.#begin();
      }
      const offset = standing(answer);
      // all of it has come, and its name has been taken meanwhile
      if (answer.status === 409) return this.#fail(answer, false);
      if (answer.status !== 200 || offset === undefined || offset > this.#file.size) return this.#fail(answer, true);
      this.#keeps(offset);
      this.#send(url, offset);
    });
  }

  #send(url: string, offset: number): void {
    const piece = this.#file.slice(offset, offset + PIECE);
    const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    this.#ask("PATCH", url, headers, piece, (answer) => {
      const now = standing(answer);
      // with no offset a 409 is about the name, which stays taken
      const again = answer.status !== 409 || now !== undefined;
      if (answer.status !== 204 || now === undefined) return this.#fail(answer, again);
      this.#keeps(now);
      if (now === this.#file.size) return this.#done();
      if (now === offset) return this.#fail(answer, true);
      remember(this.#key, url);
      this.#send(url, now);
    }).upload.onprogress = (event) => this.#told.progress(offset + Math.min(event.loaded, piece.size));
  }

  /** Only what the gateway has kept is progress: what it was sent it may have refused. */
  #keeps(offset: number): void {
    if (offset > this.#kept) this.#failures = 0;
    this.#kept = offset;
    this.#told.progress(offset);
  }

  #ask(
    method: string,
    url: string,
    headers: Record<string, string>,
    body: Blob | null,
    then: (answer: XMLHttpRequest) => void,
  ): XMLHttpRequest {
    const request = new XMLHttpRequest();
    this.#request = request;
    request.open(method, url);
    for (const [name, value] of Object.entries({ "Tus-Resumable": "1.0.0", ...headers }))
      request.setRequestHeader(name, value);
    const begun = performance.now();
    request.timeout = SILENT;
    request.upload.addEventListener("progress", () => {
      request.timeout = performance.now() - begun + SILENT;
    });
    request.onloadend = () => {
      if (this.#request !== request) return;
      if (request.status === 0) this.#fail(request, true);
      else then(request);
    };
    request.send(body);
    return request;
  }

  #fail(answer: XMLHttpRequest, mayPass: boolean): void {
    const { status } = answer;
    const passes =
      mayPass && (status < 400 || (status >= 500 && status !== 507) || [409, 423, 429, 460].includes(status));
    const wait = passes ? WAITS[this.#failures++] : undefined;
    if (wait === undefined) {
      this.#request = undefined;
      this.#told.failed(status);
    } else {
      const asked = Number(answer.getResponseHeader("Retry-After") ?? 0) * 1000;
      this.#timer = setTimeout(() => this.#go(), Math.min(Math.max(wait, asked || 0), 60_000));
    }
  }

  #done(): void {
    this.#forget();
    this.#request = undefined;
    this.#told.done();
  }
}

function standing(answer: XMLHttpRequest): number | undefined {
  const offset = answer.getResponseHeader("Upload-Offset");
  return offset === null ? undefined : Number(offset);
}

/** What an encoded place says, each byte as one character. */
const bytesOf = (place: string) =>
  place.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

/** Where the browser keeps nothing, an upload goes on as long as its page is open. */
function remember(key: string, url: string): void {
  try {
    localStorage.setItem(key, JSON.stringify({ url, at: Date.now() }));
  } catch (full) {
    console.warn(`${url} can not be gone on with after this page is closed`, full);
  }
}

function recalled(key: string): string | undefined {
  const old = Object.keys(localStorage).filter((one) => one.startsWith(KEPT) && !isFresh(one));
  for (const one of old) localStorage.removeItem(one);
  return JSON.parse(localStorage.getItem(key) ?? "{}").url;
}

const isFresh = (key: string) => Date.now() - JSON.parse(localStorage.getItem(key) ?? "{}").at < LIFE;
