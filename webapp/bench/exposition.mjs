// How devices are written for Prometheus, beside a StringBuilder and simpleclient's own writer.
import { interleaved } from "./measure.mjs";
import { asked } from "./programs.mjs";

const SIDES = ["ours", "builder", "simpleclient", "gzip"];
const WARM = 6;

/** The number of series, and by side milliseconds and megabytes, round by round. */
export async function measureExposition(rounds) {
  const bench = asked("io.sluice.telemetry.exposition.ExpositionBench");
  const series = Number(await bench.ask("series"));
  for (let warm = 0; warm < WARM; warm++) for (const side of SIDES) await bench.ask(side);
  const said = await interleaved(rounds, Object.fromEntries(SIDES.map((side) => [side, () => bench.ask(side)])));
  await bench.close();
  const column = (at) =>
    Object.fromEntries(SIDES.map((side) => [side, said[side].map((line) => Number(line.split(" ")[at]))]));
  return { series, time: column(0), memory: column(1) };
}
