// How the benchmark measures: programs that are started and ended by it, the time to a first answer, medians.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const launch = join(root, "backend/target/launch");
export const jar = join(root, "backend/target/sluice.jar");
export const scratch = mkdtempSync(join(tmpdir(), "sluice-bench-"));
export const PASSWORD = "correct-horse-battery";

const running = new Set();

export function javaHome() {
  return spawnSync(join(root, ".mvn/wrapper/find-jdk"), { encoding: "utf8" }).stdout.trim();
}

export const java = join(javaHome(), "bin/java");

/** A port that nobody listens on now. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function start(name, args, { env = {}, cwd = root, talking = false } = {}) {
  const log = openSync(join(scratch, "programs.log"), "a");
  const stdio = talking ? ["pipe", "pipe", "inherit"] : ["ignore", log, log];
  const child = spawn(name, args, { cwd, env: { ...process.env, ...env }, stdio });
  running.add(child);
  child.ended = new Promise((resolve) => child.on("exit", resolve)).then(() => running.delete(child));
  child.stop = () => {
    child.kill("SIGTERM");
    return child.ended;
  };
  return child;
}

/** Runs a short program to its end. */
export function run(name, args, { env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${name} ${args.join(" ")} ends with ${code}`)),
    );
  });
}

/** Runs the work so many times, some of it at a time. */
export async function together(times, atOnce, work) {
  let next = 0;
  const lane = async () => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function answers(port, path) {
  return new Promise((resolve) => {
    const one = request({ port, path, host: "127.0.0.1", agent: false, timeout: 5000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    one.on("error", () => resolve(false));
    one.on("timeout", () => one.destroy());
    one.end();
  });
}

/** Milliseconds from starting a program to its first good answer. */
export async function timeToAnswer(name, args, { port, path, ...options }) {
  const began = performance.now();
  const child = start(name, args, options);
  while (!(await answers(port, path))) {
    if (child.exitCode !== null || performance.now() - began > 60_000)
      throw new Error(`${name} ${args.join(" ")} does not serve; see ${scratch}/programs.log (kept)`);
    await pause(2);
  }
  return { milliseconds: performance.now() - began, child };
}

export function residentMebibytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

/** The middle of the values, with the smallest and the largest. */
export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, low: sorted[0], high: sorted.at(-1) };
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

/** Runs every candidate once a round, in turning order, so that the machine's moods meet all of them. */
export async function interleaved(rounds, candidates) {
  const names = Object.keys(candidates);
  const values = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? names.toReversed() : names) values[name].push(await candidates[name]());
  return values;
}

export async function putAway() {
  await Promise.all([...running].map((child) => child.stop()));
  rmSync(scratch, { recursive: true, force: true });
}
