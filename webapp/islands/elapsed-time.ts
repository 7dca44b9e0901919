const counting = new Set<ElapsedTime>();

/** Counts on from the server's `since`, or down to its `until`, by the server's clock: `now` says what time it was there when this was drawn. */
class ElapsedTime extends HTMLElement {
  connectedCallback(): void {
    // kept as an attribute, so that it is as true when the page comes back from Turbo's cache
    if (!this.hasAttribute("ahead")) {
      const ahead = Date.now() - Date.parse(this.getAttribute("now") ?? "");
      this.setAttribute("ahead", String(Number.isNaN(ahead) ? 0 : ahead));
    }
    counting.add(this);
    this.refresh();
  }

  disconnectedCallback(): void {
    counting.delete(this);
  }

  refresh(): void {
    const now = Date.now() - Number(this.getAttribute("ahead"));
    const until = this.getAttribute("until");
    const time = until ? Date.parse(until) - now : now - Date.parse(this.getAttribute("since") ?? "");
    const face = this.querySelector(".elapsed");
    if (!face || Number.isNaN(time)) return;
    const seconds = Math.max(0, Math.floor(time / 1000));
    const words = clock(seconds);
    if (face.textContent !== words) face.textContent = words;
  }
}

function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

setInterval(() => {
  if (!document.hidden) for (const time of counting) time.refresh();
}, 1000);

customElements.define("elapsed-time", ElapsedTime);
