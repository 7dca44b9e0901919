import { ascii, isAscii } from "./bytes";
import { Escapes, type Heard } from "./escapes";
import { Line } from "./line";
import { LONGEST_ROW, Screen, type Sink } from "./screen";
import { linked, restyled } from "./style";

const PIECE = 1024;
const LF = 10;
const CR = 13;
const BS = 8;
const ESC = 27;
const BRACKET = 0x5b;
const SHORT = 40;

/** Reads bytes as a terminal would and makes rows of them. What is no text and no colour is swallowed; nothing is ever answered. */
export class Terminal {
  readonly #screen: Screen;
  readonly #escapes = new Escapes();
  /** The last bytes may be the beginning of a character. */
  #cut = false;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /** `flat`: every state of a line that is written over becomes a row of its own. */
  constructor(sink: Sink, { flat = false, newlines = 0 } = {}) {
    this.#screen = new Screen(sink, flat, newlines);
  }

  get newlines(): number {
    return this.#screen.newlines;
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
      if (end < length && end - i <= LONGEST_ROW && !this.#cut && this.#screen.fresh) {
        const newline = bytes[end] === LF ? end : bytes[end] === CR && bytes[end + 1] === LF ? end + 1 : -1;
        if (newline >= 0) {
          const line = Line.of(offset + i, bytes.subarray(i, end), this.#screen.style);
          this.#screen.whole(line, offset + newline + 1);
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

  /** Forgets what it was in the middle of: the next bytes do not follow the last. */
  interrupt(): void {
    this.#flush(0);
    this.#escapes.abandon();
    this.#screen.interrupt();
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

  #text(bytes: Uint8Array, from: number, to: number, offset: number): number {
    const atEnd = to === bytes.length || to - from === PIECE;
    const plain = !this.#cut && isAscii(bytes, from, to);
    const text = plain ? ascii(bytes, from, to) : this.#decoder.decode(bytes.subarray(from, to), { stream: true });
    this.#cut = (bytes[to - 1] as number) >= 0x80;
    if (!atEnd) this.#screen.print(text + this.#rest(), offset + from, offset + to);
    else if (text) this.#screen.print(text, offset + from, offset + to);
    return to;
  }

  #rest(): string {
    if (!this.#cut) return "";
    this.#cut = false;
    return this.#decoder.decode();
  }

  #flush(offset: number): void {
    const rest = this.#rest();
    if (rest) this.#screen.print(rest, offset, offset);
  }

  #control(byte: number, offset: number): void {
    this.#flush(offset);
    if (byte === LF) this.#screen.newline(offset);
    else if (byte === CR) this.#screen.moveTo(0);
    else if (byte === BS) this.#screen.move(-1);
    else if (byte === ESC) this.#escapes.begin();
  }

  #obey(heard: Heard, offset: number): void {
    const screen = this.#screen;
    if (heard.kind === "csi") this.#csi(heard.final, heard.params, offset);
    // of all the strings only the link means anything here: no clipboard, no title, no answer
    else if (heard.kind === "osc" && heard.body.startsWith("8;")) screen.style = linked(screen.style, heard.body);
  }

  #csi(final: string, params: string, offset: number): void {
    const screen = this.#screen;
    if (final === "m") {
      if (/^[\d;:]*$/.test(params)) screen.style = restyled(screen.style, params);
      return;
    }
    const count = Math.min(Math.max(Number.parseInt(params, 10) || 0, 0), LONGEST_ROW);
    const n = Math.max(count, 1);
    if (final === "K") screen.erase(count, offset);
    else if (final === "G") screen.moveTo(n - 1);
    else if (final === "C") screen.forward(n);
    else if (final === "D") screen.move(-n);
    else if (final === "A" || final === "F") screen.climb(-n, final === "F");
    else if (final === "B" || final === "E") screen.climb(n, final === "E");
    else if (final === "J" && count === 0) screen.eraseBelow();
    else if (final === "H" || final === "f" || final === "J") screen.afresh();
  }
}
