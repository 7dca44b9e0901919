import type { Line } from "./line";
import type { Sink } from "./screen";

/** The rows in memory: one stretch of the log without a hole that would not be among them. */
export class Lines implements Sink {
  readonly list: Line[] = [];
  /** The number of the line whose own is 0, once somebody has counted. */
  anchor: number | undefined;
  /** Rows that were taken from the front since the beginning, so that a place in the list can be told for longer. */
  dropped = 0;
  /** Rows that their program took back since the beginning. */
  takenBack = 0;
  /** Another one: something that stands beside rows is known by now, as their numbers. */
  epoch = 0;

  add(line: Line): void {
    this.list.push(line);
  }

  drop(line: Line): void {
    if (this.list.at(-1) !== line) return;
    this.list.pop();
    line.gone = true;
    this.takenBack++;
  }

  prepend(lines: Line[]): void {
    this.list.unshift(...lines);
    this.dropped -= lines.length;
  }

  /** Takes rows from the front until there are `keep`. */
  trimStart(keep: number): Line[] {
    const gone = this.list.splice(0, Math.max(0, this.list.length - keep));
    this.dropped += gone.length;
    return gone;
  }

  trimEnd(keep: number): Line[] {
    return this.list.splice(keep);
  }

  /** Leaves out rows that their program took back. */
  sweep(): void {
    const staying = this.list.filter((line) => !line.gone);
    if (staying.length === this.list.length) return;
    this.list.length = 0;
    for (const line of staying) this.list.push(line);
  }

  get from(): number {
    return this.list[0]?.from ?? 0;
  }

  numberOf(line: Line): number | undefined {
    return this.anchor === undefined ? undefined : this.anchor + line.number;
  }

  /** Where the row lies that begins at this byte or holds it. */
  indexAt(offset: number): number {
    let low = 0;
    let high = this.list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.list[middle]?.from ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
