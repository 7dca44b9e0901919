import type { Landing } from "./address";
import { Source } from "./source";

/** A chart beside the log was clicked at a time. */
export const CHART = "log-time";
/** A line of a log was marked, which was printed at a time. */
const MARKED = "log-place";

export type ChartEvent = CustomEvent<{ src: string; at: number }>;

/** Tells the charts when the line was printed that an address points at. */
export async function tellCharts(landing: Landing | undefined): Promise<void> {
  if (landing?.offset === undefined) return;
  await tellChartsOf(new Source(landing.src), landing.offset);
}

/** Tells the charts when this was printed. */
export async function tellChartsOf(source: Source, offset: number): Promise<void> {
  const src = source.path;
  const at = await source.timeAt(offset).catch(() => undefined);
  if (at !== undefined) document.dispatchEvent(new CustomEvent(MARKED, { detail: { src, at } }));
}
