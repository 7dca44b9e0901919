import type { Line } from "./line";
import type { Sink } from "./terminal";

/** The rows in memory: one stretch of the log without a hole that would not be among them. */
export class Lines implements Sink {
  readonly list: Line[] = [];
  /** The number of the line whose own is 0, once somebody has counted. */
  anchor: number | undefined;
  /** Rows that were taken from the front since the beginning, so that a place in the list can be told for longer. */
  dropped = 0;

  add(line: Line): void {
    this.list.push(line);
  }

  drop(line: Line): void {
    if (this.list.at(-1) === line) this.list.pop();
  }

  prepend(lines: Line[]): void {
    this.list.unshift(...lines);
    this.dropped -= lines.length;
  }

  /** Takes rows from the front until there are `keep`. */
  trimStart(keep: number): void {
    const gone = this.list.length - keep;
    if (gone <= 0) return;
    this.list.splice(0, gone);
    this.dropped += gone;
  }

  trimEnd(keep: number): void {
    if (this.list.length > keep) this.list.length = keep;
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
