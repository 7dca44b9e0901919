// The store's one statement for a submission, beside pgbench with the same statement on the same PostgreSQL.
import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { database, gateway } from "./gateway.mjs";
import { freePort, interleaved, scratch } from "./measure.mjs";
import { asked } from "./programs.mjs";
import { postgres } from "./start.mjs";

const CLIENTS = "16";

/** Null when it is there; else what is missing. */
export const withoutPgbench = () =>
  spawnSync("pgbench", ["--version"]).status === 0 ? null : "pgbench not found (Debian package postgresql-contrib)";

/** Submissions per second, round by round. */
export async function measureStore(rounds) {
  const made = await gateway("store"); // makes the tables
  await made.close();
  const port = await freePort();
  const { child } = await postgres(made.data, port);
  const url = database(made.data, port);
  const bench = asked("io.sluice.jobs.StoreBench", url);
  const script = join(scratch, "submission.sql");
  writeFileSync(script, `\\set number random(1, 9000000000000000)\n${await bench.ask("statement")};\n`);
  const options = ["-n", "-M", "prepared", "-c", CLIENTS, "-j", "1", "-T", "3", "-f", script, url];
  const pgbench = async () => {
    const { stdout } = await promisify(execFile)("pgbench", options);
    if (/failed transactions: [1-9]/.test(stdout)) throw new Error(stdout);
    return Number(/tps = ([\d.]+)/.exec(stdout)[1]);
  };
  await bench.ask("submit"); // a program that runs is warm
  const perSecond = await interleaved(rounds, { store: async () => Number(await bench.ask("submit")), pgbench });
  await bench.close();
  await child.stop();
  return perSecond;
}

/** Milliseconds in which a job of 512 tasks begins together, job by job; the first, of a cold program, does not count. */
export async function measureGang() {
  const made = await gateway("gang");
  await made.close();
  const port = await freePort();
  const { child } = await postgres(made.data, port);
  const bench = asked("io.sluice.jobs.TogetherBench", database(made.data, port));
  const millis = [];
  for (let job = 0; job < 8; job++) millis.push(Number(await bench.ask("job")));
  await bench.close();
  await child.stop();
  return millis.slice(1);
}
