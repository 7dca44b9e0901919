import type { Absence } from "./feed";
import type { Way } from "./listener";
import type { Reader } from "./reader";
import type { Refusal } from "./refusal";

/** Nothing more will come of it. */
const over = ({ end, refusal }: Reader) => end !== undefined || (refusal !== undefined && !refusal.passing);

/** How several logs stand together. */
export abstract class Crowd {
  abstract readonly readers: Reader[];

  get size(): number {
    return this.sum(({ size }) => size);
  }

  get missed(): number {
    return this.sum(({ missed }) => missed);
  }

  set missed(count: number) {
    for (const reader of this.readers) reader.missed = count;
  }

  get skippedBytes(): number {
    return this.sum(({ skippedBytes }) => skippedBytes);
  }

  get gone(): { bytes: number; maybe: boolean } {
    return { bytes: this.sum(({ gone }) => gone.bytes), maybe: this.readers.some(({ gone }) => gone.maybe) };
  }

  get greeted(): boolean {
    return this.readers.some((reader) => reader.greeted);
  }

  get refusal(): Refusal | undefined {
    const all = this.readers.map((reader) => reader.refusal);
    return all.every((refusal) => refusal) ? all[0] : undefined;
  }

  /** Those that are not there, and why. */
  get absent(): Absence[] {
    return this.readers.flatMap(({ refusal }, source) => (refusal ? [{ source, refusal }] : []));
  }

  get end(): { size: number; exitCode: number | null } | undefined {
    if (!this.readers.every(over) || !this.greeted) return undefined;
    const codes = new Set(this.readers.flatMap(({ end }) => (end ? [end.exitCode] : [])));
    return { size: this.size, exitCode: codes.size === 1 ? ([...codes][0] ?? null) : null };
  }

  get status(): Way {
    const ways = this.readers.map((reader) => (over(reader) ? "socket" : reader.status));
    return ways.find((way) => way !== "socket") ?? "socket";
  }

  protected sum(part: (reader: Reader) => number): number {
    return this.readers.reduce((all, reader) => all + part(reader), 0);
  }
}
