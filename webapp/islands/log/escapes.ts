/** A sequence that has come to its end. */
export type Heard = { kind: "csi"; final: string; params: string } | { kind: "osc"; body: string };

type State = "none" | "escape" | "skip" | "csi" | "string";

const LONGEST = 4096;
const LF = 10;
const BEL = 7;
const ESC = 27;
const OSC = 0x5d;

/** Takes escape sequences apart, byte by byte. One that never ends swallows no more than the line it is in. */
export class Escapes {
  #state: State = "none";
  #body = "";
  #introducer = 0;

  get inside(): boolean {
    return this.#state !== "none";
  }

  begin(): void {
    this.#state = "escape";
    this.#body = "";
  }

  abandon(): void {
    this.#state = "none";
    this.#body = "";
  }

  next(byte: number): Heard | undefined {
    if (byte === LF || this.#body.length > LONGEST) return this.#over(undefined);
    if (byte === ESC) {
      const heard = this.#state === "string" ? this.#string() : undefined;
      this.begin();
      return heard;
    }
    if (this.#state === "escape") this.#introduce(byte);
    else if (this.#state === "skip") this.abandon();
    else if (this.#state === "string") {
      if (byte === BEL) return this.#over(this.#string());
      this.#body += String.fromCharCode(byte);
    } else if (byte >= 0x40 && byte <= 0x7e)
      return this.#over({ kind: "csi", final: String.fromCharCode(byte), params: this.#body });
    else if (byte >= 0x20 && byte <= 0x3f) this.#body += String.fromCharCode(byte);
    // anything else has no place in a sequence: it was none, and what follows is text
    else this.abandon();
    return undefined;
  }

  #introduce(byte: number): void {
    this.#introducer = byte;
    const kind = String.fromCharCode(byte);
    if (kind === "[") this.#state = "csi";
    else if ("]PX^_".includes(kind)) this.#state = "string";
    else this.#state = "()*+-./#% ".includes(kind) ? "skip" : "none";
  }

  #string(): Heard | undefined {
    return this.#introducer === OSC ? { kind: "osc", body: this.#body } : undefined;
  }

  #over(heard: Heard | undefined): Heard | undefined {
    this.abandon();
    return heard;
  }
}
