import { navigator } from "@hotwired/turbo";

/** Which folder the page's address names, and the way back to those before it. */
export class Way {
  readonly #space: string;
  readonly #user: string;
  readonly #told: (path: string) => void;

  constructor(space: string, user: string, told: (path: string) => void) {
    this.#space = space;
    this.#user = user;
    this.#told = told;
    // before Turbo hears of it, which would bring the whole page anew and end what is on its way
    window.addEventListener("popstate", this.#back, true);
  }

  leave(): void {
    window.removeEventListener("popstate", this.#back, true);
  }

  address(path: string): string {
    const space = this.#space === this.#user ? [] : [`in=${this.#space}`];
    const query = [...space, ...(path ? [`path=${path}`] : [])].join("&");
    return query ? `/files?${query}` : "/files";
  }

  /** By Turbo's own history: whoever comes back here from another page is brought here by it. */
  go(path: string): void {
    navigator.history.push(new URL(this.address(path), location.href));
  }

  #back = (event: Event): void => {
    const asked = new URLSearchParams(location.search);
    const other = location.pathname !== "/files" || asked.has("bin") || (asked.get("in") ?? this.#user) !== this.#space;
    if (other) return;
    event.stopImmediatePropagation();
    this.#told(/[?&]path=([^&]*)/.exec(location.search)?.[1] ?? "");
  };
}
