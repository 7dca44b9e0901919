import { lowest } from "./lowest";
import type { Source } from "./source";

const POINTS = 2_000;
const KEPT = 20_000;
const LATER = 3_000;

/** When what was printed: to the second while a gateway watched, otherwise between two times. */
export class Times {
  wanted = false;
  #points: [number, number][] = [];
  #from = -1;
  #to = -1;
  #asking: Promise<void> | undefined;
  #again = 0;
  readonly #source: Source;
  readonly #changed: () => void;

  constructor(source: Source, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
  }

  push(offset: number, at: number): void {
    if ((this.#points.at(-1)?.[0] ?? -1) >= offset) return;
    this.#points.push([offset, at]);
    if (this.#to >= 0) this.#to = Math.max(this.#to, offset);
    if (this.#points.length > KEPT) this.#points.splice(0, KEPT / 2);
    if (this.wanted) this.#changed();
  }

  /** Sees to it that times between these offsets are known. */
  async ensure(from: number, to: number): Promise<void> {
    while (this.#asking) await this.#asking;
    const known = from >= this.#from && to <= this.#to && this.#from >= 0;
    if (!this.wanted || to <= from || known || performance.now() < this.#again) return;
    this.#asking = this.#ask(from, to).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(from: number, to: number): Promise<void> {
    const margin = to - from;
    const start = Math.max(0, from - margin);
    try {
      const points = await this.#source.times(start, to + margin, POINTS);
      const newer = this.#points.filter(([offset]) => offset > (points.at(-1)?.[0] ?? -1) && offset > to + margin);
      this.#points = [...points, ...newer];
      this.#from = start;
      this.#to = to + margin;
      this.#changed();
    } catch {
      // without times there is a log all the same; it is asked again when somebody scrolls
      this.#again = performance.now() + LATER;
    }
  }

  /** When the byte at this offset was there at the latest. */
  at(offset: number): number | undefined {
    return this.#points[lowest(this.#points, ([known]) => known > offset)]?.[1];
  }
}
