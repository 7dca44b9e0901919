import UPlot from "uplot";
import type { Chart, Unit } from "./data";
import { written } from "./units";

const HEIGHT = 96;
const COLOURS = 8;
const POWERS = Array.from({ length: 50 }, (_, power) => 2 ** power);

export interface Hooks {
  /** Somebody looks at this place of the axis, or at none. */
  hovered(at: number | null): void;
  zoomed(from: number, to: number): void;
  clicked(seconds: number): void;
  readonly language: string | undefined;
  /** The time that is marked, in seconds. */
  marked(): number | undefined;
}

/** Colours of the page, as a canvas takes them. */
export interface Palette {
  faint: string;
  soft: string;
  accent: string;
  fill: string;
  lines: string[];
}

/** As the page has them now: a canvas does not know the page's own names. All at once, for each look-up has the browser work out its styles anew. */
export function palette(within: HTMLElement): Palette {
  const names = ["--text-faint", "--line-soft", "--accent", "--chart-fill"];
  for (let at = 0; at < COLOURS; at++) names.push(`--chart-${at}`);
  const box = document.createElement("span");
  box.hidden = true;
  for (const name of names) box.appendChild(document.createElement("i")).style.color = `var(${name})`;
  within.append(box);
  const [faint = "", soft = "", accent = "", fill = "", ...lines] = [...box.children].map(
    (one) => getComputedStyle(one).color,
  );
  box.remove();
  return { faint, soft, accent, fill, lines };
}

/** The time of day, in as much detail as the ticks are apart; days where there is more than one. */
function moments(ticks: number[], language: string | undefined): string[] {
  const apart = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  const days = apart >= 86_400;
  const format = new Intl.DateTimeFormat(language, {
    ...(days ? { month: "numeric", day: "numeric" } : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    ...(apart < 60 && !days ? { second: "2-digit" } : {}),
  });
  return ticks.map((tick) => format.format(tick * 1000));
}

function range(unit: Unit): UPlot.Range.Function {
  return (_, __, most) => {
    if (unit === "share") return [0, 1];
    return [0, most > 0 ? most * 1.1 : 1];
  };
}

/** Where a chart is drawn, and how wide. */
export interface Place {
  within: HTMLElement;
  width: number;
}

/** One chart. */
export function plot(place: Place, chart: Chart, times: number[], key: string, colours: Palette, hooks: Hooks): UPlot {
  const { faint, soft } = colours;
  const options: UPlot.Options = {
    width: Math.max(160, place.width),
    height: HEIGHT,
    legend: { show: false },
    padding: [6, 24, 0, 0], // room for half of the last time
    cursor: {
      sync: { key, setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { size: 5 },
      bind: { dblclick: () => null },
    },
    scales: { x: { time: true }, y: { range: range(chart.unit) } },
    axes: [
      {
        stroke: faint,
        grid: { stroke: soft, width: 1 },
        ticks: { show: false },
        font: "10px sans-serif",
        size: 18,
        gap: 2,
        space: 64,
        values: (_, ticks) => moments(ticks, hooks.language),
      },
      {
        stroke: faint,
        grid: { stroke: soft, width: 1 },
        ticks: { show: false },
        font: "10px sans-serif",
        size: 52,
        gap: 4,
        space: 34,
        ...(chart.unit === "bytes" || chart.unit === "rate" ? { incrs: POWERS } : {}),
        values: (_, ticks) => ticks.map((tick) => written(tick, chart.unit)),
      },
    ],
    series: [
      {},
      ...chart.lines.map((line, at) => ({
        label: line.name,
        stroke: colours.lines[at % COLOURS] ?? faint,
        width: 1,
        // what is not known is not drawn
        spanGaps: false,
        points: { show: false },
        ...(chart.lines.length === 1 ? { fill: colours.fill } : {}),
      })),
    ],
    hooks: {
      setCursor: [(self) => hooks.hovered(self.cursor.idx ?? null)],
      setSelect: [
        (self) => {
          if (self.select.width < 4) return;
          hooks.zoomed(self.posToVal(self.select.left, "x"), self.posToVal(self.select.left + self.select.width, "x"));
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      draw: [(self) => mark(self, hooks.marked(), colours.accent)],
    },
  };
  const made = new UPlot(
    options,
    [times, ...chart.lines.map((line) => line.values)] as UPlot.AlignedData,
    place.within,
  );
  made.over.addEventListener("click", () => {
    const left = made.cursor.left ?? -1;
    if (left >= 0) hooks.clicked(made.posToVal(left, "x"));
  });
  return made;
}

function mark(self: UPlot, at: number | undefined, stroke: string): void {
  if (at === undefined) return;
  const x = Math.round(self.valToPos(at, "x", true));
  if (x < self.bbox.left || x > self.bbox.left + self.bbox.width) return;
  const { ctx } = self;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, self.bbox.top);
  ctx.lineTo(x, self.bbox.top + self.bbox.height);
  ctx.stroke();
  ctx.restore();
}
