import type { Hole } from "./line";
import { type Listener, LONGEST_RETRY, PATIENCE, signIn, socketOf, TAIL } from "./listener";
import { Refusal } from "./refusal";
import type { Source } from "./source";

const ASKING = 256 << 10;
const POLL = 1_000;
const FIRST_TRY = 10_000;
const LONGEST_TRY = 120_000;

/** Asks again and again for what is new, where WebSockets do not get through, and tries now and then whether they do by now. */
export class Polling {
  #at: number;
  #failures = 0;
  #over = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #trying: ReturnType<typeof setTimeout> | undefined;
  #pause = FIRST_TRY;
  #socket: WebSocket | undefined;
  #shown: Hole | undefined;
  readonly #source: Source;
  readonly #listener: Listener;
  readonly #through: (at: number) => void;

  /** `through` is called once a socket got through, with the offset up to which all has come. */
  constructor(source: Source, listener: Listener, at: number, through: (at: number) => void) {
    this.#source = source;
    this.#listener = listener;
    this.#at = at;
    this.#through = through;
    window.addEventListener("online", this.#tryNow);
    this.#trying = setTimeout(this.#tryNow, this.#pause);
    this.#poll();
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#trying);
    window.removeEventListener("online", this.#tryNow);
    this.#forget();
  }

  async #poll(): Promise<void> {
    try {
      const more = await this.#ask();
      this.#failures = 0;
      if (!this.#over) this.#timer = setTimeout(() => this.#poll(), more ? 0 : POLL);
    } catch (fault) {
      if (this.#over) return;
      if (fault instanceof Refusal && fault.status === 401) signIn();
      else if (fault instanceof Refusal && !fault.passing) {
        this.stop();
        this.#listener.refused(fault);
      } else {
        this.#failures++;
        this.#listener.way("lost");
        this.#timer = setTimeout(() => this.#poll(), Math.min(LONGEST_RETRY, POLL * 2 ** this.#failures));
      }
    }
  }

  /** Asks once for what is new, and tells whether there is more at once. */
  async #ask(): Promise<boolean> {
    const state = await this.#source.state();
    if (this.#over) return false;
    // at first, or if its machine lost the end of it
    if (this.#at < 0 || this.#at > state.size) {
      this.#at = Math.max(0, state.size - TAIL);
      this.#listener.hello({ ...state, offset: this.#at });
    }
    this.#listener.way("polling");
    const hole = this.#source.holes.after(this.#at, this.#shown);
    if (hole && hole.from <= this.#at) {
      this.#shown = hole;
      this.#at = hole.to;
      this.#listener.gap(hole);
      return true;
    }
    const to = Math.min(this.#at + ASKING, hole?.from ?? state.size, state.size);
    const { offset, bytes } = await this.#source.range(this.#at, to);
    if (this.#over) return false;
    if (bytes.length > 0) this.#listener.bytes(offset, bytes);
    this.#at = offset + bytes.length;
    if (state.state === "ended" && this.#at >= state.size && !hole) {
      this.stop();
      this.#listener.ended(state.size, state.exitCode);
    }
    return this.#at < state.size;
  }

  /** Only to see whether it gets through: what has come meanwhile is asked for in any case. */
  #tryNow = (): void => {
    clearTimeout(this.#trying);
    this.#forget();
    const socket = socketOf(this.#source, { tail: 0 });
    const again = () => {
      this.#forget();
      clearTimeout(this.#trying);
      this.#pause = Math.min(LONGEST_TRY, this.#pause * 2);
      this.#trying = setTimeout(this.#tryNow, this.#pause);
    };
    socket.onmessage = () => {
      this.stop();
      this.#through(this.#at);
    };
    socket.onclose = again;
    this.#socket = socket;
    this.#trying = setTimeout(again, PATIENCE);
  };

  #forget(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }
}
