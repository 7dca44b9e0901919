import { Refusal } from "./refusal";

/** So often one piece of work asks again before it says that it was refused. */
const TRIES = 10;
const PAUSE = 1_000;
const LONGEST_PAUSE = 10_000;

/**
 * What reads through whole logs on the gateway waits here: that lets one person have a few such reads at once, for all pages together. Whatever was
 * refused because there were too many, or has only come part of the way, is asked again when the gateway said so.
 */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#one(work, signal);
      } catch (fault) {
        if (!(fault instanceof Refusal) || !fault.again || tries >= TRIES) throw fault;
        await pause(Math.min(LONGEST_PAUSE, fault.after ?? PAUSE), signal);
      }
    }
  }

  async #one<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((turn) => this.#waiting.push(turn));
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** With a little chance in it, so that those who were refused together do not come back together. */
function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, time * (1 + Math.random() / 4));
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
