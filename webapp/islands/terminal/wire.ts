const SUBPROTOCOL = "sluice.terminal.v1";
const SIGNED_OUT = 4401;
const FIRST_RETRY = 400;
const LONGEST_RETRY = 10_000;
/** A piece of what is typed or pasted: the gateway takes no message beyond 64 KiB. */
const PIECE = 16 << 10;
/** So much may be on its way before more is read from the clipboard's text. */
const FULL = 64 << 10;
const PAUSE = 20;

export interface End {
  readonly reason: string;
  readonly detail: string;
  readonly exitCode: number | null;
}

interface Hooks {
  /** The terminal is there; what follows begins at its first byte, or where this browser was. */
  opened(fresh: boolean): void;
  lost(): void;
  ended(end: End): void;
  bytes(piece: Uint8Array, drawn: () => void): void;
  size(): { cols: number; rows: number };
}

/** The way to a terminal, which stays the same one while connections come and go. */
export class Wire {
  readonly #src: string;
  readonly #hooks: Hooks;
  readonly #key: string;
  #socket: WebSocket | undefined;
  #offset = 0;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #typed: Uint8Array[] = [];
  #sending = false;

  constructor(src: string, hooks: Hooks) {
    this.#src = src;
    this.#hooks = hooks;
    this.#key = `terminal ${src}`;
  }

  /** `anew`: whatever there was is left behind. */
  connect(anew = false): void {
    this.close();
    if (anew) this.#forget();
    const address = new URL(this.#src, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const { cols, rows } = this.#hooks.size();
    address.searchParams.set("columns", String(cols));
    address.searchParams.set("rows", String(rows));
    const known = sessionStorage.getItem(this.#key);
    if (known) {
      address.searchParams.set("terminal", known);
      address.searchParams.set("offset", String(this.#offset));
    }
    const socket = new WebSocket(address, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.#heard(event.data);
    socket.onclose = (event) => this.#closed(event.code);
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #heard(data: string | ArrayBuffer): void {
    this.#failures = 0;
    if (typeof data !== "string") {
      const piece = new Uint8Array(data);
      this.#offset += piece.length;
      const offset = this.#offset;
      this.#hooks.bytes(piece, () => this.#say({ type: "read", offset }));
      return;
    }
    const said = JSON.parse(data);
    if (said.type === "hello") {
      const fresh = said.offset !== this.#offset || this.#offset === 0;
      this.#offset = said.offset;
      sessionStorage.setItem(this.#key, said.terminal);
      this.#hooks.opened(fresh);
      if (said.before) this.#hooks.bytes(new TextEncoder().encode(said.before), () => undefined);
    } else if (said.type === "end") {
      this.close();
      if (said.reason !== "taken") this.#forget();
      this.#hooks.ended(said);
    }
  }

  #forget(): void {
    sessionStorage.removeItem(this.#key);
    this.#offset = 0;
    this.#typed = [];
  }

  #closed(code: number): void {
    this.#socket = undefined;
    if (code === SIGNED_OUT) {
      location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
      return;
    }
    this.#failures++;
    this.#hooks.lost();
    const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1));
    this.#retry = setTimeout(() => this.#again(), pause * (0.5 + Math.random() / 2));
  }

  /** A refused upgrade does not say why; from the third on, the page itself is asked whether it still knows us. */
  async #again(): Promise<void> {
    if (this.#failures >= 3) {
      const page = await fetch(location.href, { redirect: "manual", headers: { Accept: "text/html" } }).catch(
        () => undefined,
      );
      if (page?.type === "opaqueredirect") this.#closed(SIGNED_OUT);
      if (page?.status === 404) location.reload();
    }
    if (!this.#socket) this.connect();
  }

  resize(columns: number, rows: number): void {
    this.#say({ type: "resize", columns, rows });
  }

  #say(words: object): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(words));
  }

  /** What is typed while the line is lost is not kept: nobody sees what it would do. */
  type(bytes: Uint8Array): void {
    if (!this.isOpen) return;
    for (let at = 0; at < bytes.length; at += PIECE) this.#typed.push(bytes.slice(at, at + PIECE));
    if (!this.#sending) this.#send();
  }

  #send(): void {
    while (this.#typed.length > 0 && this.isOpen && (this.#socket?.bufferedAmount ?? 0) < FULL)
      this.#socket?.send(this.#typed.shift() as Uint8Array<ArrayBuffer>);
    this.#sending = this.#typed.length > 0 && this.isOpen;
    if (this.#sending) setTimeout(() => this.#send(), PAUSE);
    else this.#typed = [];
  }

  close(): void {
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
