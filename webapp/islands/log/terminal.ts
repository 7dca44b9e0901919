import { ascii, isAscii } from "./bytes";
import { Escapes, type Heard } from "./escapes";
import { Line } from "./line";
import { linked, PLAIN, restyled, type Style } from "./style";

/** Where rows go: added below, or taken back from below because the program erased them. */
export interface Sink {
  add(line: Line): void;
  drop(line: Line): void;
}

/** A row holds no more than so many characters; what is longer goes on in the next. */
export const LONGEST_ROW = 2048;
/** So many rows can a progress bar reach upwards. */
const REACH = 64;
const PIECE = 1024;
const END = -1;

const LF = 10;
const CR = 13;
const BS = 8;
const ESC = 27;
const BRACKET = 0x5b;
const SHORT = 40;

/**
 * Reads bytes as a terminal would and makes rows of them. There is no screen: rows only ever grow below, except that a program may return to
 * the last few and write over them, as progress bars do. What is no text and no colour is swallowed; nothing is ever answered.
 */
export class Terminal {
  newlines = 0;
  readonly #escapes = new Escapes();
  #style: Style = PLAIN;
  #rows: Line[] = [];
  #row = 0;
  #column = END;
  #returned = false;
  /** The last bytes may be the beginning of a character. */
  #cut = false;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #sink: Sink;
  /** Every state of a line that is written over becomes a row of its own. */
  readonly #flat: boolean;

  constructor(sink: Sink, { flat = false } = {}) {
    this.#sink = sink;
    this.#flat = flat;
  }

  write(bytes: Uint8Array, offset: number): void {
    const length = bytes.length;
    let i = 0;
    let end = 0;
    while (i < length) {
      if (this.#escapes.inside) {
        const byte = bytes[i] as number;
        const heard = this.#escapes.next(byte);
        if (heard) this.#obey(heard, offset + i);
        // a newline ends every sequence and is one all the same
        if (byte !== LF) i++;
        continue;
      }
      // what was looked through already is text up to there
      for (end = Math.max(end, i); end < length; end++) {
        const byte = bytes[end] as number;
        if (byte < 0x20 ? byte !== 9 : byte === 0x7f) break;
      }
      if (
        end < length &&
        end - i <= LONGEST_ROW &&
        this.#row === this.#rows.length &&
        !this.#cut &&
        this.#column <= 0
      ) {
        const newline = bytes[end] === LF ? end : bytes[end] === CR && bytes[end + 1] === LF ? end + 1 : -1;
        if (newline >= 0) {
          this.#whole(Line.of(offset + i, bytes.subarray(i, end), this.#style), offset + newline + 1);
          i = newline + 1;
          continue;
        }
      }
      if (end > i) i = this.#text(bytes, i, Math.min(end, i + PIECE), offset);
      else {
        const sequence = bytes[i] === ESC ? this.#short(bytes, i, offset) : 0;
        if (sequence > 0) i = sequence;
        else this.#control(bytes[i] as number, offset + i++);
      }
    }
  }

  /** Most sequences are a few bytes long and whole: those need no state. Tells where it ends, or 0. */
  #short(bytes: Uint8Array, from: number, offset: number): number {
    if (bytes[from + 1] !== BRACKET) return 0;
    const last = Math.min(bytes.length, from + SHORT);
    for (let i = from + 2; i < last; i++) {
      const byte = bytes[i] as number;
      if (byte >= 0x20 && byte <= 0x3f) continue;
      if (byte < 0x40 || byte > 0x7e) return 0;
      this.#flush(offset + from);
      this.#csi(String.fromCharCode(byte), ascii(bytes, from + 2, i), offset + i);
      return i + 1;
    }
    return 0;
  }

  /** Forgets what it was in the middle of: the next bytes do not follow the last. */
  interrupt(): void {
    this.#flush(0);
    this.#escapes.abandon();
    for (const row of this.#rows) row.settle();
    this.#rows = [];
    this.#row = 0;
    this.#column = END;
  }

  /** A whole line in one go, which most are. */
  #whole(line: Line, to: number): void {
    line.number = this.newlines++;
    line.to = to;
    line.open = false;
    this.#push(line);
    this.#row = this.#rows.length;
    this.#column = END;
    this.#returned = false;
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

  #text(bytes: Uint8Array, from: number, to: number, offset: number): number {
    const atEnd = to === bytes.length || to - from === PIECE;
    const plain = !this.#cut && isAscii(bytes, from, to);
    const text = plain ? ascii(bytes, from, to) : this.#decoder.decode(bytes.subarray(from, to), { stream: true });
    this.#cut = (bytes[to - 1] as number) >= 0x80;
    if (!atEnd) this.#print(text + this.#rest(), offset + from, offset + to);
    else if (text) this.#print(text, offset + from, offset + to);
    return to;
  }

  #rest(): string {
    if (!this.#cut) return "";
    this.#cut = false;
    return this.#decoder.decode();
  }

  #flush(offset: number): void {
    const rest = this.#rest();
    if (rest) this.#print(rest, offset, offset);
  }

  #print(text: string, from: number, to: number): void {
    if (this.#flat && this.#returned) this.#rowBelow(from);
    let line = this.#line(from);
    if (this.#column === END || this.#column >= line.columns) {
      if (this.#column > line.columns) line.append(" ".repeat(this.#column - line.columns), PLAIN);
      line.append(text, this.#style);
      this.#column = END;
      this.#returned = false;
    } else {
      if (this.#returned) line.rewrites++;
      this.#returned = false;
      this.#column = line.write(this.#column, text, this.#style);
    }
    line.to = Math.max(line.to, to);
    if (line.columns < LONGEST_ROW) return;
    this.#row = this.#rows.length;
    this.#column = END;
    line = this.#line(to);
    line.continued = true;
  }

  #rowBelow(offset: number): void {
    this.#returned = false;
    const line = this.#rows[this.#row];
    if (!line || line.columns === 0) return;
    line.to = offset;
    this.#row = this.#rows.length;
  }

  #control(byte: number, offset: number): void {
    this.#flush(offset);
    if (byte === LF) this.#newline(offset);
    else if (byte === CR) this.#move(0);
    else if (byte === BS) this.#move(Math.max(0, this.#at() - 1));
    else if (byte === ESC) this.#escapes.begin();
  }

  #newline(offset: number): void {
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

  #at(): number {
    return this.#column === END ? (this.#rows[this.#row]?.columns ?? 0) : this.#column;
  }

  #move(column: number): void {
    this.#column = Math.min(column, LONGEST_ROW);
    this.#returned = true;
  }

  #obey(heard: Heard, offset: number): void {
    if (heard.kind === "csi") this.#csi(heard.final, heard.params, offset);
    // of all the strings only the link means anything here: no clipboard, no title, no answer
    else if (heard.kind === "osc" && heard.body.startsWith("8;")) this.#style = linked(this.#style, heard.body);
  }

  #csi(final: string, params: string, offset: number): void {
    if (final === "m") {
      if (/^[\d;:]*$/.test(params)) this.#style = restyled(this.#style, params);
      return;
    }
    const count = Math.min(Math.max(Number.parseInt(params, 10) || 0, 0), LONGEST_ROW);
    const n = Math.max(count, 1);
    if (final === "K") this.#erase(count, offset);
    else if (final === "G") this.#move(n - 1);
    else if (final === "C") this.#column = Math.min(this.#at() + n, LONGEST_ROW);
    else if (final === "D") this.#move(Math.max(0, this.#at() - n));
    else if (final === "A" || final === "F") this.#climb(-n, final === "F");
    else if (final === "B" || final === "E") this.#climb(n, final === "E");
    else if (final === "J" && count === 0) this.#below();
    else if (final === "H" || final === "f" || final === "J") this.#afresh();
  }

  #climb(rows: number, toStart: boolean): void {
    const column = toStart ? 0 : this.#at();
    if (!this.#flat) this.#row = Math.min(Math.max(0, this.#row + rows), this.#rows.length);
    this.#move(column);
  }

  #erase(mode: number, offset: number): void {
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

  #below(): void {
    const line = this.#rows[this.#row];
    if (!line || this.#flat) return;
    for (const gone of this.#rows.splice(this.#row + 1).reverse()) {
      line.to = Math.max(line.to, gone.to);
      this.#sink.drop(gone);
    }
    line.erase(this.#at(), Number.MAX_SAFE_INTEGER);
  }

  /** A program that clears the screen begins below: what it had shown is not taken away. */
  #afresh(): void {
    this.#row = this.#rows.length;
    this.#column = END;
  }
}
