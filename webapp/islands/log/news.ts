import type { Hole } from "./line";
import type { Hello, Listener, Way } from "./listener";
import { Refusal } from "./refusal";
import { type Piece, Ring } from "./ring";
import type { Source } from "./source";
import { Stream } from "./stream";
import type { Times } from "./times";

/** What the stream of one log tells: how it stands, and its newest bytes. */
export abstract class News implements Listener {
  size = 0;
  skippedBytes = 0;
  end: { size: number; exitCode: number | null } | undefined;
  status: Way = "connecting";
  refusal: Refusal | undefined;
  greeted = false;
  readonly source: Source;
  readonly times: Times;
  protected readonly ring = new Ring();
  protected readonly stream: Stream;
  protected readonly changed: () => void;

  constructor(source: Source, times: Times, changed: () => void) {
    this.source = source;
    this.times = times;
    this.changed = changed;
    this.stream = new Stream(source, this);
  }

  /** The next bytes begin here; `cut`: perhaps within a line. */
  protected abstract begun(offset: number, cut: boolean): void;
  protected abstract came(piece: Piece): void;
  protected abstract lost(hole: Hole): void;

  get gone(): { bytes: number; maybe: boolean } {
    return this.source.holes.gone;
  }

  open(): void {
    this.stream.open();
  }

  hello(hello: Hello): void {
    const first = !this.greeted;
    this.greeted = true;
    this.size = hello.size;
    this.refusal = undefined;
    this.source.holes.add(...hello.gaps);
    if (first || hello.offset !== this.ring.to) {
      this.ring.restart(hello.offset);
      this.begun(hello.offset, hello.offset > 0);
    }
    this.changed();
  }

  bytes(offset: number, bytes: Uint8Array): void {
    const piece = { offset, bytes };
    this.ring.push(piece);
    this.size = Math.max(this.size, this.ring.to);
    this.came(piece);
    this.changed();
  }

  gap(hole: Hole): void {
    this.source.holes.add(hole);
    // that the disk was full is told later than what was printed after it
    if (hole.to > this.ring.to) this.ring.restart(hole.to);
    this.size = Math.max(this.size, hole.to);
    this.lost(hole);
    this.changed();
  }

  skipped(from: number, to: number): void {
    this.skippedBytes += to - from;
    this.ring.restart(to);
    this.size = Math.max(this.size, to);
    this.begun(to, false);
    this.changed();
  }

  time(offset: number, at: number): void {
    this.times.push(offset, at);
  }

  ended(size: number, exitCode: number | null): void {
    this.end = { size, exitCode };
    this.size = size;
    this.changed();
  }

  way(way: Way): void {
    this.status = way;
    this.changed();
  }

  refused(refusal: Refusal): void {
    this.refusal = refusal;
    this.changed();
  }

  /** How it stands, where the stream has not told it yet or that may have changed; false where there is no such log. */
  protected async look(): Promise<boolean> {
    try {
      this.size = Math.max(this.size, (await this.source.state()).size);
      return true;
    } catch (fault) {
      if (fault instanceof Refusal) this.refused(fault);
      return false;
    }
  }
}
