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
  /** Whether some of it is of devices that do not exist. */
  simulated: boolean;
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

/** @param within these two times, in seconds; all there is without */
export async function load(src: string, within: [number, number] | undefined, signal: AbortSignal): Promise<Series> {
  const times = within ? `&from=${Math.floor(within[0] * 1000)}&to=${Math.ceil(within[1] * 1000)}` : "";
  const answer = await fetch(src + times, { headers: { Accept: "application/json" }, signal });
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
  const several = new Set(series.lines.map((line) => `${line.role} ${line.taskIndex}`)).size > 1;
  return CHARTS.flatMap(([key, unit, metrics]) => {
    const known = series.lines.filter(
      (line) => metrics.includes(line.metric) && line.values.some((value) => value !== null),
    );
    const lines = known.map((line) => ({ name: nameOf(line, words, several), values: line.values }));
    const simulated = known.some((line) => line.simulated);
    return lines.length > 0 ? [{ key, unit, lines, simulated }] : [];
  });
}

function nameOf(line: Line, words: DOMStringMap, several: boolean): string {
  const whose = several ? `${line.role} ${line.taskIndex} · ` : "";
  if (line.device !== undefined) {
    const npu = (line.type ?? "").toLowerCase().startsWith("ascend");
    return `${whose}${(npu ? words.npu : words.gpu) ?? ""} ${line.index ?? ""}`.trim();
  }
  const direction = line.metric.split("_")[1];
  return whose + ((direction ? words[direction] : words.task) ?? "");
}
