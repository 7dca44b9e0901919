export interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const KEPT = 1 << 20;

/** The newest bytes as they came, so that a reader who had left the end is back at once and without a hole. */
export class Ring {
  from = 0;
  to = 0;
  #pieces: Piece[] = [];

  push(piece: Piece): void {
    if (piece.offset !== this.to) this.restart(piece.offset);
    this.#pieces.push(piece);
    this.to += piece.bytes.length;
    while (this.to - this.from > KEPT && this.#pieces.length > 1) this.from += this.#pieces.shift()?.bytes.length ?? 0;
  }

  restart(at: number): void {
    this.#pieces = [];
    this.from = this.to = at;
  }

  holds(offset: number): boolean {
    return offset >= this.from && offset <= this.to;
  }

  /** What it has from this offset on. */
  after(offset: number): Piece[] {
    return this.#pieces
      .filter((piece) => piece.offset + piece.bytes.length > offset)
      .map((piece) =>
        piece.offset >= offset ? piece : { offset, bytes: piece.bytes.subarray(offset - piece.offset) },
      );
  }
}
