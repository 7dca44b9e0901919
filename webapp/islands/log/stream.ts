import type { Hole } from "./line";
import { type Hello, type Listener, LONGEST_RETRY, PATIENCE, signIn, socketOf, TAIL } from "./listener";
import { Polling } from "./polling";
import { Refusal } from "./refusal";
import type { Source } from "./source";

const WINDOW = 1 << 20;
const JUMP = 4 << 20;
const FIRST_RETRY = 300;
/** So often in a row a socket fails while plain requests get through: then something on the way blocks it. */
const BLOCKED_AFTER = 2;
const BLOCKED_LATER = 4;
const SIGNED_OUT = 4401;
const PAST_THE_END = 4416;

/** Follows a log by WebSocket; where those are blocked, by asking again and again. It goes on where it was, however it was cut. */
export class Stream {
  /** All before it has come. */
  #at = -1;
  #socket: WebSocket | undefined;
  #polling: Polling | undefined;
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
    this.#polling?.stop();
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
    const from = this.#at < 0 ? { tail: TAIL } : { offset: this.#at };
    const socket = socketOf(this.#source, { ...from, window: WINDOW, jump: JUMP });
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
      this.#at = offset + bytes.length;
      this.#listener.bytes(offset, bytes);
      return;
    }
    const said = JSON.parse(message) as { type: string } & Hello & Hole & { at: number };
    if (said.type === "hello") this.#hello(said);
    else if (said.type === "gap") {
      // that the disk was full is told later than what was printed after it
      this.#at = Math.max(this.#at, said.to);
      this.#listener.gap(said);
    } else if (said.type === "skipped") {
      this.#at = said.to;
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
    this.#at = hello.offset;
    this.#listener.way("socket");
    this.#listener.hello(hello);
  }

  #closed(code: number): void {
    this.#drop();
    if (this.#over) return;
    if (code === SIGNED_OUT) {
      signIn();
      return;
    }
    // the log is shorter than it was: its machine lost the end of it
    if (code === PAST_THE_END) this.#at = -1;
    this.#failures++;
    this.#listener.way(this.#at >= 0 ? "lost" : "connecting");
    const pause = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** (this.#failures - 1)) * (0.5 + Math.random() / 2);
    this.#timer = setTimeout(() => this.#again(), this.#failures === 1 ? 0 : pause);
  }

  /** A refused upgrade does not say why, so the log itself is asked. */
  async #again(): Promise<void> {
    try {
      await this.#source.state();
    } catch (fault) {
      if (this.#over) return;
      if (fault instanceof Refusal && fault.status === 401) return signIn();
      if (fault instanceof Refusal) this.#listener.refused(fault);
      if (!(fault instanceof Refusal) || fault.passing) this.#closed(0);
      return;
    }
    if (this.#over) return;
    if (this.#failures >= (this.#everOpen ? BLOCKED_LATER : BLOCKED_AFTER)) this.#poll();
    else this.#connect();
  }

  /** HTTP works and WebSockets do not. */
  #poll(): void {
    this.#polling = new Polling(this.#source, this.#listener, this.#at, (at) => {
      this.#at = at;
      this.#failures = 0;
      this.#polling = undefined;
      this.#connect();
    });
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
