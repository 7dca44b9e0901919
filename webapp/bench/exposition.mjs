// How devices are written for Prometheus, beside a StringBuilder and simpleclient's own writer.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, interleaved, scratch, start } from "./measure.mjs";
import { asked, printed } from "./programs.mjs";

const SIDES = ["ours", "builder", "simpleclient", "gzip", "whole"];
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

const SECONDS = 24;

/** A real Prometheus reads the same series, as the gateway writes them and as simpleclient does: seconds of each scrape. */
export async function measureScrapes() {
  const bench = asked("io.sluice.telemetry.exposition.ScrapeBench");
  const target = `127.0.0.1:${await bench.ask("")}`;
  const config = join(scratch, "prometheus.yml");
  const sides = ["ours", "simpleclient"];
  const jobs = sides.map((side) => ({
    job_name: side,
    metrics_path: `/${side}`,
    scrape_interval: "2s",
    static_configs: [{ targets: [target] }],
  }));
  writeFileSync(config, JSON.stringify({ scrape_configs: jobs }));
  const port = await freePort();
  const prometheus = start("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(scratch, "tsdb")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await pause(SECONDS * 500);
  await fetch(`http://${target}/loop`); // what it took to warm up does not count
  await pause(SECONDS * 1000);
  const [worked, late] = (await (await fetch(`http://${target}/loop`)).text()).split(" ").map(Number);
  const asking = async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    return (await answer.json()).data.result;
  };
  const took = {};
  for (const side of sides) {
    const [line] = await asking(`scrape_duration_seconds{job="${side}"}[${SECONDS}s]`);
    took[side] = line.values.map(([, value]) => Number(value) * 1000);
  }
  const [samples] = await asking('scrape_samples_scraped{job="ours"}');
  await prometheus.stop();
  await bench.close();
  return { took, worked, late, samples: Number(samples.value[1]) };
}

/** Milliseconds of processor that the gateway itself takes to ask for 8 devices once. */
export function measureRound() {
  const [millis, devices] = printed("io.sluice.telemetry.collect.RoundBench")[0].split(" ").map(Number);
  if (devices !== 8) throw new Error(`the round told of ${devices} devices`);
  return millis;
}
