const CHECK_MILLIS = 10_000;
const HEALTH = "/grafana/api/health";

/**
 * Grafana's panels in a frame: `src` is their address without the theme, `away` the panel to go to when Grafana stops answering, where the built-in
 * charts stand in. What the server put inside stays as the way to Grafana alone.
 */
class GrafanaBoard extends HTMLElement {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop = new AbortController();
  #themes: MutationObserver | undefined;

  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview") || this.#themes) return;
    this.#stop = new AbortController();
    for (const left of this.querySelectorAll("iframe")) left.remove();
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("name") ?? "Grafana";
    frame.loading = "lazy";
    // no leaving this page, and no windows without a click
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups allow-downloads");
    frame.src = this.#address();
    this.prepend(frame);
    const retheme = () => {
      if (!frame.src.endsWith(this.#address())) frame.src = this.#address();
    };
    this.#themes = new MutationObserver(retheme);
    this.#themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", retheme, { signal: this.#stop.signal });
    frame.addEventListener("load", () => this.#check(), { signal: this.#stop.signal });
    this.#check();
  }

  /** An element that is only moved goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      clearTimeout(this.#timer);
      this.#stop.abort();
      this.#themes?.disconnect();
      this.#themes = undefined;
    });
  }

  #address(): string {
    const chosen = document.documentElement.dataset.theme;
    const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    return `${this.getAttribute("src")}&theme=${dark ? "dark" : "light"}`;
  }

  async #check(): Promise<void> {
    clearTimeout(this.#timer);
    const answer = await fetch(HEALTH, { signal: this.#stop.signal }).catch(() => undefined);
    if (this.#stop.signal.aborted) return;
    // while the gateway itself does not answer nothing is known of Grafana
    if (answer && answer.status >= 500) this.#giveWay();
    else this.#timer = setTimeout(() => this.#check(), CHECK_MILLIS);
  }

  /** The server looks for itself, and says what it shows and why. */
  #giveWay(): void {
    const frame = this.closest("turbo-frame");
    frame?.setAttribute("src", this.getAttribute("away") ?? "");
  }
}

customElements.define("grafana-board", GrafanaBoard);
