import type UPlot from "uplot";
import { painted } from "../log/dom";
import "./grafana-board";
import { type Chart, charts, load, type Series, times } from "./data";
import { type Palette, type Place, palette, plot } from "./plot";
import { written } from "./units";

const QUICK_MILLIS = 5_000;
const SLOW_MILLIS = 15_000;
const YOUNG_MILLIS = 1_800_000;
let made = 0;

/**
 * The charts of a task: `src` is its series in the API, `log` its log there, `live` whether more is to come; the words stand in data attributes.
 * What the server put inside is shown until there is something better. All charts share one time: where one is zoomed or looked at, all are.
 */
class DeviceChart extends HTMLElement {
  readonly #key = `devices-${made++}`;
  #plots: { chart: Chart; plot: UPlot; values: HTMLElement }[] = [];
  #times: number[] = [];
  #zoom: [number, number] | undefined;
  #marked: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop = new AbortController();
  #resized: ResizeObserver | undefined;
  #reset: HTMLButtonElement | undefined;
  #shape = "";

  connectedCallback(): void {
    if (document.documentElement.hasAttribute("data-turbo-preview") || this.#resized) return;
    for (const left of this.querySelectorAll(":scope > .charts")) left.remove();
    Object.assign(this.dataset, this.querySelector<HTMLElement>("data.words")?.dataset);
    this.#stop = new AbortController();
    this.#resized = new ResizeObserver(() => this.#resize());
    this.#resized.observe(this);
    document.addEventListener("log-place", this.#placed);
    document.addEventListener("visibilitychange", this.#seen);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.#recolour);
    this.#refresh();
  }

  /** An element that is only moved, as when the page about it is renewed, goes on. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (!this.isConnected) this.#rest();
    });
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.#resized?.disconnect();
    this.#resized = undefined;
    document.removeEventListener("log-place", this.#placed);
    document.removeEventListener("visibilitychange", this.#seen);
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.#recolour);
    this.#clear();
    this.querySelector(":scope > .charts")?.remove();
    this.removeAttribute("ready");
  }

  #clear(): void {
    for (const { plot } of this.#plots) plot.destroy();
    this.#plots = [];
    this.#shape = "";
  }

  async #refresh(): Promise<void> {
    clearTimeout(this.#timer);
    let pause = SLOW_MILLIS;
    try {
      const zoom = this.#zoom;
      const series = await load(this.getAttribute("src") ?? "", zoom, this.#stop.signal);
      if (zoom !== this.#zoom) return; // another time is wanted by now, and asked for
      const begun = performance.now();
      this.#draw(series);
      painted("charts-drawn", begun);
      if (series.to - series.from < YOUNG_MILLIS) pause = QUICK_MILLIS;
    } catch {
      if (this.#stop.signal.aborted) return;
      this.toggleAttribute("failed", true); // what was drawn stays, and it is tried again
    }
    if (this.getAttribute("live") === "true" && !document.hidden)
      this.#timer = setTimeout(() => this.#refresh(), pause);
  }

  #seen = (): void => {
    if (!document.hidden && this.getAttribute("live") === "true") this.#refresh();
  };

  #draw(series: Series): void {
    this.removeAttribute("failed");
    const all = charts(series, this.dataset);
    if (all.length === 0) return;
    this.#times = times(series);
    const shape = all.map((chart) => `${chart.key}:${chart.lines.map((line) => line.name)}`).join(";");
    if (shape === this.#shape) {
      for (const [at, chart] of all.entries()) this.#renew(at, chart);
      return;
    }
    this.#clear();
    this.#shape = shape;
    const box = this.#box();
    const figures = all.map((chart) => this.#figure(chart));
    box.prepend(...figures.map(({ figure }) => figure));
    // everything is measured before anything is drawn, so that the page is laid out once
    const colours = palette(this);
    const widths = figures.map(({ canvas }) => canvas.clientWidth);
    for (const [at, { chart, canvas, values }] of figures.entries())
      this.#plot({ within: canvas, width: widths[at] ?? 0 }, chart, values, colours);
    this.setAttribute("ready", "");
    this.#hovered(null);
  }

  #renew(at: number, chart: Chart): void {
    const present = this.#plots[at];
    if (!present) return;
    present.chart = chart;
    const data = [this.#times, ...chart.lines.map((line) => line.values)] as UPlot.AlignedData;
    present.plot.setData(data, this.#zoom === undefined);
    if (this.#zoom) present.plot.setScale("x", { min: this.#zoom[0], max: this.#zoom[1] });
    if (present.plot.cursor.idx === null || present.plot.cursor.idx === undefined) this.#say(present, null);
  }

  #box(): HTMLElement {
    this.querySelector(":scope > .charts")?.remove();
    const box = document.createElement("div");
    box.className = "charts";
    const reset = document.createElement("button");
    reset.className = "button quiet small";
    reset.type = "button";
    reset.hidden = this.#zoom === undefined;
    reset.textContent = this.dataset.reset ?? "";
    reset.addEventListener("click", () => this.#zoomed(undefined));
    const hint = document.createElement("p");
    hint.className = "faint small chart-hint";
    hint.append(this.dataset.hint ?? "", " ", reset);
    box.append(hint);
    this.#reset = reset;
    this.append(box);
    return box;
  }

  #figure(chart: Chart): { chart: Chart; figure: HTMLElement; canvas: HTMLElement; values: HTMLElement } {
    const figure = document.createElement("figure");
    figure.className = "chart";
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = this.dataset[chart.key] ?? chart.key;
    const values = document.createElement("span");
    values.className = "chart-values";
    caption.append(title);
    if (chart.simulated) {
      const chip = document.createElement("span");
      chip.className = "chip tiny";
      chip.textContent = this.dataset.simulated ?? "";
      caption.append(chip);
    }
    caption.append(values);
    const canvas = document.createElement("div");
    figure.append(caption, canvas);
    return { chart, figure, canvas, values };
  }

  #plot(place: Place, chart: Chart, values: HTMLElement, colours: Palette): void {
    const plotted = plot(place, chart, this.#times, this.#key, colours, {
      hovered: (at) => this.#hovered(at),
      zoomed: (from, to) => this.#zoomed([from, to]),
      clicked: (seconds) => this.#clicked(seconds),
      language: this.dataset.lang,
      marked: () => this.#marked,
    });
    if (this.#zoom) plotted.setScale("x", { min: this.#zoom[0], max: this.#zoom[1] });
    this.#plots.push({ chart, plot: plotted, values });
  }

  /** All values at one time; those of now where nobody looks. */
  #hovered(at: number | null): void {
    for (const present of this.#plots) this.#say(present, at);
  }

  #say({ chart, values, plot }: { chart: Chart; values: HTMLElement; plot: UPlot }, at: number | null): void {
    values.replaceChildren(
      ...chart.lines.map((line, place) => {
        const word = document.createElement("span");
        const dot = document.createElement("i");
        dot.dataset.line = String(place % 8);
        const value = at === null ? lastOf(line.values) : line.values[at];
        const text = value === null || value === undefined ? "–" : written(value, chart.unit);
        word.append(dot, chart.lines.length > 1 ? `${line.name} ${text}` : text);
        return word;
      }),
    );
    const seconds = at === null ? undefined : plot.data[0][at];
    if (seconds !== undefined) values.title = new Date(seconds * 1000).toLocaleString(this.dataset.lang);
  }

  #zoomed(zoom: [number, number] | undefined): void {
    this.#zoom = zoom;
    if (this.#reset) this.#reset.hidden = zoom === undefined;
    const first = this.#times[0] ?? 0;
    const last = this.#times.at(-1) ?? 0;
    for (const { plot } of this.#plots) plot.setScale("x", { min: zoom?.[0] ?? first, max: zoom?.[1] ?? last });
    followed(this, zoom);
    this.#refresh(); // as finely as that time is known
  }

  /** The log beside it goes to that second. */
  #clicked(seconds: number): void {
    const detail = { src: this.getAttribute("log") ?? "", at: Math.round(seconds * 1000) };
    document.dispatchEvent(new CustomEvent("log-time", { detail }));
    this.#mark(seconds);
  }

  /** A line of the log was marked: this is when it was printed. */
  #placed = (event: Event): void => {
    const { src, at } = (event as CustomEvent<{ src: string; at: number }>).detail;
    if (src === this.getAttribute("log")) this.#mark(at / 1000);
  };

  #mark(seconds: number): void {
    this.#marked = seconds;
    for (const { plot } of this.#plots) plot.redraw(false);
  }

  #resize(): void {
    for (const { plot } of this.#plots) {
      const width = plot.root.parentElement?.clientWidth ?? 0;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height });
    }
  }

  #recolour = (): void => {
    this.#clear();
    this.#refresh();
  };
}

/** Other charts of the same show the same time. */
function followed(chart: HTMLElement, zoom: [number, number] | undefined): void {
  for (const link of chart.closest("turbo-frame")?.querySelectorAll<HTMLAnchorElement>("a[data-follows-time]") ?? []) {
    const to = new URL(link.href);
    for (const [at, name] of ["from", "to"].entries()) {
      if (zoom) to.searchParams.set(name, String(Math.round((zoom[at] ?? 0) * 1000)));
      else to.searchParams.delete(name);
    }
    link.href = to.href;
  }
}

function lastOf(values: (number | null)[]): number | null {
  for (let at = values.length - 1; at >= 0; at--) if (values[at] !== null) return values[at] ?? null;
  return null;
}

customElements.define("device-chart", DeviceChart);
