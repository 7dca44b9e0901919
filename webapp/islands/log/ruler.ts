import { make } from "./dom";

const PAUSE = 60;
const LEAST = 0.03;

export interface Mark {
  readonly offset: number;
  readonly kind: "found" | "cause" | "hole" | "target";
}

/** The whole log as one strip: where the window is in it, what was found where, and a handle to go anywhere. */
export class Ruler {
  readonly element: HTMLElement;
  readonly #thumb = make("div", { class: "thumb" });
  readonly #marks = make("div", { class: "ticks" });
  readonly #go: (offset: number) => Promise<void>;
  #size = 0;
  #wanted: number | undefined;
  #going = false;
  #shown = "";

  constructor(label: string, go: (offset: number) => Promise<void>) {
    this.#go = go;
    // the rows themselves are reached by keyboard; this is the same for a pointer
    this.element = make("div", { class: "ruler", "aria-hidden": "true", title: label }, this.#marks, this.#thumb);
    this.element.addEventListener("pointerdown", (event) => this.#grab(event));
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) this.#aim(event);
    });
  }

  /** Says which bytes can be seen. */
  place(from: number, to: number, size: number): void {
    this.#size = size;
    const whole = Math.max(size, 1);
    const height = Math.min(1, Math.max(LEAST, (to - from) / whole));
    const top = Math.min(from / whole, 1) * (1 - height);
    this.#thumb.style.height = `${height * 100}%`;
    this.#thumb.style.top = `${(to >= size ? 1 - height : Math.min(top, 1 - height)) * 100}%`;
    this.element.classList.toggle("whole", from === 0 && to >= size);
  }

  mark(marks: Mark[]): void {
    const size = Math.max(this.#size, 1);
    const ticks = new Map<string, string>();
    // no more than one of a kind in every half percent
    for (const { offset, kind } of marks) {
      const top = (Math.round((offset / size) * 200) / 2).toFixed(1);
      ticks.set(`${top} ${kind}`, kind);
    }
    const shown = [...ticks.keys()].join();
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#marks.replaceChildren(
      ...[...ticks].map(([key, kind]) => {
        const tick = make("i", { class: kind });
        tick.style.top = `${key.split(" ")[0]}%`;
        return tick;
      }),
    );
  }

  #grab(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.#aim(event);
  }

  #aim(event: PointerEvent): void {
    const { top, height } = this.element.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientY - top) / height));
    this.#wanted = part > 0.995 ? this.#size : Math.floor(part * this.#size);
    this.#pursue();
  }

  /** One jump at a time, always to where the pointer is by then. */
  async #pursue(): Promise<void> {
    if (this.#going) return;
    this.#going = true;
    while (this.#wanted !== undefined) {
      const offset = this.#wanted;
      this.#wanted = undefined;
      await this.#go(offset);
      await new Promise((later) => setTimeout(later, PAUSE));
    }
    this.#going = false;
  }
}
