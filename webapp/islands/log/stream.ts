import type { Hole } from "./line";
import { Refusal, type Source } from "./source";

const SUBPROTOCOL = "sluice.logs.v1";
const WINDOW = 1 << 20;
const JUMP = 4 << 20;
const TAIL = 64 << 10;
const ASKING = 256 << 10;
const PATIENCE = 5_000;
const FIRST_RETRY = 300;
const LONGEST_RETRY = 15_000;
const POLL = 1_000;
const BLOCKED_AFTER = 2;
const SIGNED_OUT = 4401;
const PAST_THE_END = 4416;

export type Way = "connecting" | "socket" | "polling" | "lost";

export interface Hello {
  offset: number;
  size: number;
  state: "running" | "ended";
  exitCode: number | null;
  gaps: Hole[];
}

/** What a stream tells. Offsets rise without hole or overlap, except where it says so. */
export interface Listener {
  hello(hello: Hello): void;
  bytes(offset: number, bytes: Uint8Array): void;
  gap(hole: Hole): void;
  skipped(from: number, to: number): void;
  time(offset: number, at: number): void;
  ended(size: number, exitCode: number | null): void;
  way(way: Way): void;
  refused(refusal: Refusal): void;
}

/** Follows a log by WebSocket; where those are blocked, by asking again and again. It goes on where it was, however it was cut. */
export class Stream {
  /** All before it has come. */
  at = -1;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #everOpen = false;
  #told = 0;
  #over = false;
  readonly #source: Source;
  readonly #listener: Listener;

  constructor(source: Source, listener: Listener) {
    this.#source = source;
    this.#listener = listener;
  }

  open(): void {
    this.#connect();
  }

  close(): void {
    this.#over = true;
    this.#drop();
  }

  /** All before this offset has been dealt with: more may come. */
  read(offset: number): void {
    if (offset - this.#told < WINDOW / 4 || this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#told = offset;
    this.#socket.send(JSON.stringify({ type: "read", offset }));
  }

  #connect(): void {
    this.#drop();
    const from = this.at < 0 ? { tail: TAIL } : { offset: this.at };
    const address = new URL(this.#source.address({ ...from, window: WINDOW, jump: JUMP }), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.#heard(event.data);
    socket.onclose = (event) => this.#closed(event.code);
    this.#socket = socket;
    // some proxies accept an upgrade and then say nothing for ever
    this.#timer = setTimeout(() => this.#closed(0), PATIENCE);
  }

  #heard(message: string | ArrayBuffer): void {
    if (typeof message !== "string") {
      const offset = Number(new DataView(message).getBigUint64(0));
      const bytes = new Uint8Array(message, 8);
      this.at = offset + bytes.length;
      this.#listener.bytes(offset, bytes);
      return;
    }
    const said = JSON.parse(message) as { type: string } & Hello & Hole & { at: number };
    if (said.type === "hello") this.#hello(said);
    else if (said.type === "gap") {
      this.at = said.to;
      this.#listener.gap(said);
    } else if (said.type === "skipped") {
      this.at = said.to;
      this.#told = said.to;
      this.#listener.skipped(said.from, said.to);
    } else if (said.type === "time") this.#listener.time(said.offset, said.at);
    else if (said.type === "end") {
      this.close();
      this.#listener.ended(said.size, said.exitCode);
    }
  }

  #hello(hello: Hello): void {
    clearTimeout(this.#timer);
    this.#everOpen = true;
    this.#failures = 0;
    this.#told = hello.offset;
    this.at = hello.offset;
    this.#listener.way("socket");
    this.#listener.hello(hello);
  }

  #closed(code: number): void {
    this.#drop();
    if (this.#over) return;
    if (code === SIGNED_OUT) {
      this.#signIn();
      return;
    }
    // the log is shorter than it was: its machine lost the end of it
    if (code === PAST_THE_END) this.at = -1;
    this.#failures++;
    this.#listener.way(this.#everOpen ? "lost" : "connecting");
    const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1)) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#again(), this.#failures === 1 ? 0 : pause);
  }

  /** A refused upgrade does not say why, so the log itself is asked. */
  async #again(): Promise<void> {
    try {
      await this.#source.look();
    } catch (fault) {
      if (this.#over) return;
      if (fault instanceof Refusal && fault.status === 401) return this.#signIn();
      const passing = !(fault instanceof Refusal) || fault.status === 429 || fault.status >= 500;
      if (fault instanceof Refusal) this.#listener.refused(fault);
      if (passing) this.#closed(0);
      return;
    }
    if (this.#over) return;
    if (!this.#everOpen && this.#failures >= BLOCKED_AFTER) await this.#poll();
    else this.#connect();
  }

  /** HTTP works and WebSockets do not. */
  async #poll(): Promise<void> {
    try {
      const full = await this.#ask();
      if (this.#over) return;
      this.#failures = 0;
      this.#timer = setTimeout(() => this.#poll(), full ? 0 : POLL);
    } catch (fault) {
      if (this.#over) return;
      if (fault instanceof Refusal && fault.status < 500 && fault.status !== 429) this.#listener.refused(fault);
      else {
        this.#failures++;
        this.#listener.way("lost");
        this.#timer = setTimeout(() => this.#poll(), Math.min(LONGEST_RETRY, POLL * 2 ** this.#failures));
      }
    }
  }

  /** Asks once for what is new, and tells whether there is more at once. */
  async #ask(): Promise<boolean> {
    if (this.at < 0) {
      const { size, ended } = await this.#source.look();
      if (this.#over) return false;
      this.at = Math.max(0, size - TAIL);
      const state = ended ? "ended" : "running";
      this.#listener.hello({ offset: this.at, size, state, exitCode: null, gaps: [] });
    }
    const { offset, bytes, size, ended } = await this.#source.range(this.at, this.at + ASKING);
    if (this.#over) return false;
    this.#listener.way("polling");
    if (offset > this.at) this.#listener.gap({ from: this.at, to: offset, reason: "size_limit" });
    if (bytes.length > 0) this.#listener.bytes(offset, bytes);
    this.at = offset + bytes.length;
    if (ended && this.at >= size) {
      this.close();
      this.#listener.ended(size, null);
    }
    return bytes.length === ASKING;
  }

  #signIn(): void {
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
