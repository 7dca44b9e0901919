const PATIENCE = 6_000;

/** Looks whether this browser gets to where apps are, which nobody else can find out. Without a script its own words stand. */
class DoorProbe extends HTMLElement {
  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview")) return;
    document.addEventListener("securitypolicyviolation", this.#anew);
    const urls = (this.getAttribute("urls") ?? "").split(" ").filter(Boolean);
    const lines = urls.map(() => document.createElement("p"));
    this.replaceChildren(...lines);
    void this.#all(urls, lines);
  }

  disconnectedCallback(): void {
    document.removeEventListener("securitypolicyviolation", this.#anew);
  }

  async #all(urls: string[], lines: HTMLElement[]): Promise<void> {
    const found = await Promise.all(urls.map((url, at) => this.#one(url, lines[at])));
    if (found.every(Boolean)) return;
    const advice = document.createElement("p");
    advice.className = "small advice";
    advice.textContent = this.getAttribute("advice") ?? "";
    this.append(advice);
  }

  async #one(url: string, line: HTMLElement | undefined): Promise<boolean> {
    this.#say(line, "busy", "trying", url);
    const reached = await isThere(url);
    this.#say(line, reached ? "good" : "bad", reached ? "good" : "bad", url);
    return reached;
  }

  #say(line: HTMLElement | undefined, tone: string, words: string, url: string): void {
    if (!line) return;
    line.className = `found ${tone}`;
    line.textContent = (this.getAttribute(words) ?? "").replace("%s", new URL(url).host);
  }

  /** Come to by Turbo, the page that was loaded first decides whom may be asked: loaded anew, this one does. */
  #anew = (): void => {
    const [entry] = performance.getEntriesByType("navigation");
    if (entry && new URL(entry.name).pathname !== location.pathname) location.reload();
  };
}

async function isThere(url: string): Promise<boolean> {
  const asked = fetch(url, { credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
  return asked
    .then((answer) => answer.text())
    .then(
      (text) => text === "sluice",
      () => false,
    );
}

customElements.define("door-probe", DoorProbe);
