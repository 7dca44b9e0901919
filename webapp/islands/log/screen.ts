import { Line } from "./line";
import { PLAIN, type Style } from "./style";

/** Where rows go: added below, or taken back from below because the program erased them. */
export interface Sink {
  add(line: Line): void;
  drop(line: Line): void;
}

/** A row holds no more than so many characters; what is longer goes on in the next. */
export const LONGEST_ROW = 2048;
/** So many rows can a progress bar reach upwards. */
const REACH = 64;
const END = -1;

/** There is no real screen: rows only ever grow below, except that a program may return to the last few and write over them, as progress bars do. */
export class Screen {
  newlines: number;
  style: Style = PLAIN;
  #rows: Line[] = [];
  #row = 0;
  #column = END;
  #returned = false;
  readonly #sink: Sink;
  readonly #flat: boolean;

  constructor(sink: Sink, flat: boolean, newlines: number) {
    this.#sink = sink;
    this.#flat = flat;
    this.newlines = newlines;
  }

  /** What comes next begins a row below all others. */
  get fresh(): boolean {
    return this.#row === this.#rows.length && this.#column <= 0;
  }

  /** A whole line in one go, which most are. */
  whole(line: Line, to: number): void {
    line.number = this.newlines++;
    line.to = to;
    line.open = false;
    this.#push(line);
    this.#row = this.#rows.length;
    this.#column = END;
    this.#returned = false;
  }

  print(text: string, from: number, to: number): void {
    if (this.#flat && this.#returned) this.#rowBelow(from);
    let line = this.#line(from);
    if (this.#column === END || this.#column >= line.columns) {
      if (this.#column > line.columns) line.append(" ".repeat(this.#column - line.columns), PLAIN);
      line.append(text, this.style);
      this.#column = END;
      this.#returned = false;
    } else {
      if (this.#returned) line.rewrites++;
      this.#returned = false;
      this.#column = line.write(this.#column, text, this.style);
    }
    line.to = Math.max(line.to, to);
    if (line.columns < LONGEST_ROW) return;
    this.#row = this.#rows.length;
    this.#column = END;
    line = this.#line(to);
    line.continued = true;
  }

  newline(offset: number): void {
    const line = this.#line(offset);
    line.open = false;
    line.to = Math.max(line.to, offset + 1);
    line.version++;
    this.newlines++;
    if (this.#flat) this.#row = this.#rows.length;
    else this.#row++;
    this.#column = this.#row < this.#rows.length ? 0 : END;
    this.#returned = this.#row < this.#rows.length;
  }

  moveTo(column: number): void {
    this.#column = Math.min(Math.max(0, column), LONGEST_ROW);
    this.#returned = true;
  }

  move(by: number): void {
    this.moveTo(this.#at() + by);
  }

  /** Leaves room, which is no returning. */
  forward(by: number): void {
    this.#column = Math.min(this.#at() + by, LONGEST_ROW);
  }

  climb(rows: number, toStart: boolean): void {
    const column = toStart ? 0 : this.#at();
    if (!this.#flat) this.#row = Math.min(Math.max(0, this.#row + rows), this.#rows.length);
    this.moveTo(column);
  }

  erase(mode: number, offset: number): void {
    const line = this.#rows[this.#row];
    if (!line || this.#flat || mode > 2) return;
    const at = this.#at();
    if (line.columns > at && this.#returned && (mode === 2 || at === 0)) {
      line.rewrites++;
      this.#returned = false;
    }
    line.erase(mode === 0 ? at : 0, mode === 1 ? at + 1 : Number.MAX_SAFE_INTEGER);
    line.to = Math.max(line.to, offset + 1);
    this.#column = at;
  }

  eraseBelow(): void {
    const line = this.#rows[this.#row];
    if (!line || this.#flat) return;
    for (const gone of this.#rows.splice(this.#row + 1).reverse()) {
      line.to = Math.max(line.to, gone.to);
      this.#sink.drop(gone);
    }
    line.erase(this.#at(), Number.MAX_SAFE_INTEGER);
  }

  /** A program that clears the screen begins below: what it had shown is not taken away. */
  afresh(): void {
    this.#row = this.#rows.length;
    this.#column = END;
  }

  interrupt(): void {
    for (const row of this.#rows) row.settle();
    this.#rows = [];
    this.#row = 0;
    this.#column = END;
  }

  #push(line: Line): void {
    this.#rows.push(line);
    this.#sink.add(line);
    if (this.#rows.length < 2 * REACH) return;
    const gone = this.#rows.splice(0, this.#rows.length - REACH);
    for (const row of gone) row.settle();
    this.#row = Math.max(0, this.#row - gone.length);
  }

  #line(offset: number): Line {
    const known = this.#rows[this.#row];
    if (known) return known;
    const line = new Line(offset);
    line.number = this.newlines;
    this.#push(line);
    this.#row = this.#rows.length - 1;
    return line;
  }

  #rowBelow(offset: number): void {
    this.#returned = false;
    const line = this.#rows[this.#row];
    if (!line || line.columns === 0) return;
    line.to = offset;
    this.#row = this.#rows.length;
  }

  #at(): number {
    return this.#column === END ? (this.#rows[this.#row]?.columns ?? 0) : this.#column;
  }
}
