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

const SECONDS = 14;
const TURNS = 2;

/** A real Prometheus reads the same series, as the gateway writes them and as simpleclient does: milliseconds of each scrape. By turns, for who is read beside another waits for it. */
export async function measureScrapes() {
  const bench = asked("io.sluice.telemetry.exposition.ScrapeBench");
  const target = `127.0.0.1:${await bench.ask("")}`;
  const took = { ours: [], simpleclient: [] };
  let samples = 0;
  const loop = async () => (await (await fetch(`http://${target}/loop`)).text()).split(" ").map(Number);
  // the first turn warms both up
  for (let turn = 0; turn <= TURNS; turn++) {
    if (turn === 1) await loop();
    for (const side of turn % 2 ? ["ours", "simpleclient"] : ["simpleclient", "ours"]) {
      const found = await scraped(side, target, `${side}-${turn}`);
      if (turn > 0) took[side].push(...found.took);
      samples = found.samples;
    }
  }
  const [worked, late] = await loop();
  await bench.close();
  return { took, worked, late, samples };
}

async function scraped(side, target, name) {
  const config = join(scratch, `${name}.yml`);
  const job = {
    job_name: side,
    metrics_path: `/${side}`,
    scrape_interval: "2s",
    static_configs: [{ targets: [target] }],
  };
  writeFileSync(config, JSON.stringify({ scrape_configs: [job] }));
  const port = await freePort();
  const prometheus = start("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(scratch, name)}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await pause(SECONDS * 1000 + 4_000); // its first scrapes make the series
  const asking = async (query) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
    return (await answer.json()).data.result[0];
  };
  const line = await asking(`scrape_duration_seconds[${SECONDS}s]`);
  const samples = await asking("scrape_samples_scraped");
  await prometheus.stop();
  return { took: line.values.slice(1).map(([, value]) => Number(value) * 1000), samples: Number(samples.value[1]) };
}

/** Milliseconds of processor that the gateway itself takes to ask for 8 devices once. */
export function measureRound() {
  const [millis, devices] = printed("io.sluice.telemetry.collect.RoundBench")[0].split(" ").map(Number);
  if (devices !== 8) throw new Error(`the round told of ${devices} devices`);
  return millis;
}
