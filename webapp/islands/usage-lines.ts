const PAUSE_MILLIS = 10_000;
const SVG = "http://www.w3.org/2000/svg";
const lines = new Set<UsageLine>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** How busy the devices of a running job are: a small line. All of a page are asked for at once. */
class UsageLine extends HTMLElement {
  connectedCallback(): void {
    lines.add(this);
    if (!this.firstElementChild) soon(100);
  }

  disconnectedCallback(): void {
    lines.delete(this);
  }

  show(now: number, points: string, simulated: boolean): void {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "spark");
    svg.setAttribute("viewBox", "0 0 100 24");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(SVG, "polyline");
    line.setAttribute("points", points);
    svg.append(line);
    const words = document.createElement("span");
    words.className = "faint small";
    words.textContent = `${now}%`;
    this.replaceChildren(svg, words);
    if (!simulated) return;
    const chip = document.createElement("span");
    chip.className = "chip tiny";
    chip.textContent = this.getAttribute("simulated");
    this.append(chip);
  }
}

function soon(millis: number): void {
  clearTimeout(timer);
  timer = setTimeout(ask, millis);
}

async function ask(): Promise<void> {
  if (lines.size === 0) return;
  soon(PAUSE_MILLIS);
  if (document.hidden) return;
  const jobs = [...lines].map((line) => line.getAttribute("job") ?? "").join(",");
  try {
    const answer = await fetch(`/jobs-usage?jobs=${encodeURIComponent(jobs)}`, {
      headers: { Accept: "application/json" },
    });
    if (!answer.ok) return;
    const usage = (await answer.json()) as Record<string, { now: number; points: string; simulated: boolean }>;
    for (const line of lines) {
      const known = usage[line.getAttribute("job") ?? ""];
      if (known) line.show(known.now, known.points, known.simulated);
    }
  } catch {
    // asked again in a while: a list is as good without
  }
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && lines.size > 0) soon(100);
});

customElements.define("usage-line", UsageLine);
