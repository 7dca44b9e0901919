/** A line as the gateway gives it: the value at place i is around from + i * step. */
export interface Line {
  metric: string;
  role: string;
  taskIndex: number;
  node: string;
  device?: string;
  index?: number;
  type?: string;
  simulated?: boolean;
  values: (number | null)[];
}

export interface Series {
  from: number;
  to: number;
  step: number;
  source: string;
  lines: Line[];
}

/** One chart: lines of the same unit over the same time. */
export interface Chart {
  key: string;
  unit: Unit;
  lines: { name: string; values: (number | null)[] }[];
}

export type Unit = "share" | "bytes" | "watts" | "celsius" | "cores" | "rate";

const CHARTS: [key: string, unit: Unit, metrics: string[]][] = [
  ["utilization", "share", ["utilization"]],
  ["memoryUsed", "bytes", ["memory_used"]],
  ["power", "watts", ["power"]],
  ["temperature", "celsius", ["temperature"]],
  ["memoryBandwidth", "share", ["memory_bandwidth"]],
  ["cpu", "cores", ["cpu"]],
  ["memory", "bytes", ["memory"]],
  ["network", "rate", ["network_received", "network_sent"]],
  ["disk", "rate", ["disk_read", "disk_written"]],
];

export async function load(src: string, signal: AbortSignal): Promise<Series> {
  const answer = await fetch(src, { headers: { Accept: "application/json" }, signal });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()) as Series;
}

/** The times of the axis, in seconds. */
export function times(series: Series): number[] {
  const count = Math.floor((series.to - series.from) / series.step) + 1;
  return Array.from({ length: count }, (_, at) => (series.from + at * series.step) / 1000);
}

/** What is known of anything, chart by chart; a chart without a value is left out. */
export function charts(series: Series, words: DOMStringMap): Chart[] {
  return CHARTS.flatMap(([key, unit, metrics]) => {
    const lines = series.lines
      .filter((line) => metrics.includes(line.metric) && line.values.some((value) => value !== null))
      .map((line) => ({ name: nameOf(line, words), values: line.values }));
    return lines.length > 0 ? [{ key, unit, lines }] : [];
  });
}

function nameOf(line: Line, words: DOMStringMap): string {
  if (line.device !== undefined) {
    const npu = (line.type ?? "").toLowerCase().startsWith("ascend");
    return `${(npu ? words.npu : words.gpu) ?? ""} ${line.index ?? ""}`.trim();
  }
  const direction = line.metric.split("_")[1];
  return (direction ? words[direction] : words.task) ?? "";
}
