import { PLAIN, type Style } from "./style";

/** From character `at` on, text looks so. */
export interface Run {
  readonly at: number;
  readonly style: Style;
}

export interface Hole {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly at?: number;
  readonly until?: number | null;
}

/** No row is as long. */
const LONGEST = 1 << 20;
const BLANK: Run[] = [];
const ASCII = /^[\t\x20-\u02ff]*$/;
const JOINED = /^(?:\p{Mn}|\p{Me}|\u200b|\u200c|\u200d)$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

/** One row of the log: where its bytes lie, and what stands in it. While nobody looks at it, it is its bytes and nothing more. */
export class Line {
  /** Newlines before it, counted from where the reading began. */
  number = 0;
  /** Which of several merged logs it is from. */
  source = 0;
  /** Behind the last byte that had a part in it. */
  to: number;
  /** How often it was written over. */
  rewrites = 0;
  /** The row before it belongs to the same line. */
  continued = false;
  /** No newline has ended it yet. */
  open = true;
  /** Its program took it back. */
  gone = false;
  version = 0;
  hole: Hole | undefined;
  /** When it was printed, where that is known already. */
  at: number | undefined;

  readonly from: number;
  #bytes: Uint8Array | undefined;
  #text = "";
  /** Every character of the text is a column. */
  #narrow = true;
  #runs: Run[] = BLANK;
  #cells: string[] | undefined;
  #looks: Style[] = [];

  constructor(from: number) {
    this.from = from;
    this.to = from;
  }

  static of(from: number, bytes: Uint8Array, style: Style): Line {
    const line = new Line(from);
    line.#bytes = bytes;
    if (style !== PLAIN) line.#runs = [{ at: 0, style }];
    return line;
  }

  static missing(hole: Hole): Line {
    const line = new Line(hole.from);
    line.hole = hole;
    line.to = hole.to;
    line.open = false;
    return line;
  }

  get text(): string {
    if (this.#cells) this.#join(this.#cells);
    if (!this.#bytes) return this.#text;
    // not kept: the rows on the page are few, and the lines in memory many
    return decoder.decode(this.#bytes);
  }

  get runs(): readonly Run[] {
    if (this.#cells) this.#join(this.#cells);
    return this.#runs;
  }

  get columns(): number {
    if (this.#cells) return this.#cells.length;
    this.#thaw();
    return this.#narrow ? this.#text.length : this.#split().length;
  }

  append(text: string, style: Style): void {
    if (this.#cells) {
      this.write(this.#cells.length, text, style);
      return;
    }
    this.#thaw();
    const last = this.#runs.at(-1)?.style ?? PLAIN;
    if (last !== style) {
      if (this.#runs === BLANK) this.#runs = [];
      this.#runs.push({ at: this.#text.length, style });
    }
    this.#text += text;
    if (this.#narrow && !ASCII.test(text)) this.#narrow = false;
    this.version++;
  }

  /** Puts text over what stands at a column, and tells the column behind it. */
  write(column: number, text: string, style: Style): number {
    const cells = this.#split();
    while (cells.length < column) this.#put(cells, cells.length, " ", PLAIN);
    let at = column;
    for (const character of text) {
      const width = widthOf(character);
      if (width === 0 && at > 0) cells[at - 1] += character;
      else this.#put(cells, at++, character, style);
      if (width === 2) this.#put(cells, at++, "", style);
    }
    this.version++;
    return at;
  }

  /** Blanks columns; nothing is left of what is blank to the end. */
  erase(from: number, to: number): void {
    this.version++;
    if (from === 0 && to >= LONGEST) {
      this.#bytes = this.#cells = undefined;
      this.#text = "";
      this.#runs = BLANK;
      this.#narrow = true;
      return;
    }
    const cells = this.#split();
    if (to >= cells.length) cells.length = this.#looks.length = Math.min(from, cells.length);
    else for (let i = from; i < to; i++) this.#put(cells, i, " ", PLAIN);
  }

  /** Nothing will be written over soon: back from columns to text. */
  settle(): void {
    if (this.#cells) this.#join(this.#cells);
    this.#cells = undefined;
    this.#looks = [];
  }

  #put(cells: string[], column: number, character: string, style: Style): void {
    cells[column] = character;
    this.#looks[column] = style;
  }

  #thaw(): void {
    if (!this.#bytes) return;
    this.#text = decoder.decode(this.#bytes);
    this.#narrow = ASCII.test(this.#text);
    this.#bytes = undefined;
  }

  #split(): string[] {
    if (this.#cells) return this.#cells;
    this.#thaw();
    const cells: string[] = [];
    this.#looks = [];
    this.#cells = cells;
    let run = -1;
    let at = 0;
    let style = PLAIN;
    for (const character of this.#text) {
      for (let next = this.#runs[run + 1]; next && next.at <= at; next = this.#runs[++run + 1]) style = next.style;
      at += character.length;
      const width = widthOf(character);
      if (width === 0 && cells.length > 0) cells[cells.length - 1] += character;
      else this.#put(cells, cells.length, character, style);
      if (width === 2) this.#put(cells, cells.length, "", style);
    }
    return cells;
  }

  #join(cells: string[]): void {
    const runs: Run[] = [];
    let text = "";
    let style = PLAIN;
    for (let i = 0; i < cells.length; i++) {
      const look = this.#looks[i] ?? PLAIN;
      if (look !== style) {
        style = look;
        runs.push({ at: text.length, style });
      }
      text += cells[i];
    }
    this.#text = text;
    this.#narrow = text.length === cells.length && ASCII.test(text);
    this.#runs = runs;
  }
}

function widthOf(character: string): number {
  if (character < "\u0300") return 1;
  return JOINED.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
