import type { Hole } from "./line";

const same = (one: Hole, other: Hole | undefined) => one.from === other?.from && one.to === other.to;

/** What is gone from a log, or may be: where `from` is `to`, nobody knows how much. */
export class Holes {
  #list: Hole[] = [];

  get all(): readonly Hole[] {
    return this.#list;
  }

  /** How many bytes are gone; `maybe`: and perhaps some that nobody has counted. */
  get gone(): { bytes: number; maybe: boolean } {
    const bytes = this.#list.reduce((sum, { from, to }) => sum + to - from, 0);
    return { bytes, maybe: this.#list.some(({ from, to }) => from === to) };
  }

  add(...holes: Hole[]): void {
    for (const hole of holes) {
      // one that grows is told again as a whole
      this.#list = this.#list.filter(({ from, to }) => from < hole.from || to > hole.to || from === to);
      if (!this.#list.some((known) => same(known, hole))) this.#list.push(hole);
    }
    this.#list.sort((one, other) => one.from - other.from || one.to - other.to);
  }

  /** The nearest that begins before an offset or is just there; `shown` stands on the page already. */
  before(offset: number, shown: Hole | undefined): Hole | undefined {
    return this.#list.findLast((hole) => !same(hole, shown) && (hole.from < offset || hole.to === offset));
  }

  /** The nearest that ends behind an offset or is just there. */
  after(offset: number, shown: Hole | undefined): Hole | undefined {
    return this.#list.find((hole) => !same(hole, shown) && (hole.to > offset || hole.from === offset));
  }

  /** The first place among these bytes where unknown others may be missing; `shown` stands on the page already. */
  mark(from: number, to: number, shown: Hole | undefined): Hole | undefined {
    return this.#list.find(
      (hole) => hole.from === hole.to && hole.from >= from && hole.from < to && !same(hole, shown),
    );
  }

  /** Bytes around an offset that nothing interrupts, up to so many on either side; where what is before them is gone, `cut` is false. In a hole it is what comes behind it. */
  around(
    offset: number,
    reach: number,
    size: number,
  ): { from: number; to: number; cut: boolean; inside: Hole | undefined } {
    const inside = this.#list.find((hole) => hole.from <= offset && offset < hole.to);
    const target = Math.max(0, Math.min(inside?.to ?? offset, size - 1));
    const floor = this.#list.findLast((hole) => hole.to <= target)?.to ?? 0;
    const ceiling = this.#list.find((hole) => hole.from > target)?.from ?? size;
    const from = Math.max(floor, target - reach);
    return { from, to: Math.min(ceiling, target + reach), cut: from > floor, inside };
  }
}
