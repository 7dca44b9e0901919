import type { Fault } from "./editor";

const PAUSE = 300;
const AGAIN = 20_000;
const SOONER = 3_000;

/**
 * Asks the server what would become of a text: once somebody pauses, and again from time to time, because others come and
 * go. A newer question takes the place of one that is under way.
 */
export class Check {
  readonly #text: () => string;
  readonly #answered: (verdict: Element) => void;
  readonly #failed: (status: number) => void;
  #asking: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(text: () => string, answered: (verdict: Element) => void, failed: (status: number) => void) {
    this.#text = text;
    this.#answered = answered;
    this.#failed = failed;
  }

  soon(pause = PAUSE): void {
    this.#asking?.abort();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), pause);
  }

  stop(): void {
    this.#asking?.abort();
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    if (document.hidden) {
      this.soon(AGAIN);
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const body = new URLSearchParams({ text: this.#text() });
      const headers = { Accept: "text/html" };
      const answer = await fetch("/jobs/new/check", { method: "POST", body, headers, signal: asking.signal });
      const verdict = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".verdict");
      if (asking.signal.aborted) return;
      if (answer.ok && verdict) this.#answered(document.adoptNode(verdict));
      else this.#failed(answer.redirected ? 401 : answer.status);
      if (answer.status === 503) {
        this.soon(SOONER);
        return;
      }
    } catch {
      if (asking.signal.aborted) return;
      this.#failed(0);
    }
    this.soon(AGAIN);
  }
}

/** What the server found wrong with the text, each with its place. */
export function faultsOf(verdict: Element): Fault[] {
  return [...verdict.querySelectorAll<HTMLElement>("li[data-line]")].map((item) => ({
    line: Number(item.dataset.line),
    column: Number(item.dataset.column),
    path: item.dataset.path ?? "",
    message: item.querySelector(".message")?.textContent ?? "",
    allowed: item.querySelector(".allowed")?.textContent ?? "",
  }));
}

/** The first of its reasons, for where there is room for one line. */
export const reasonOf = (verdict: Element): string =>
  verdict.querySelector(".faults .message, .reasons > li")?.textContent?.trim() ?? "";
