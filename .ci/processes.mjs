// Programs that a check starts: each with a log, a limit and a process group of its own, all of them put away at the end.
import { spawn } from "node:child_process";
import { chmodSync, createWriteStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
export const scratch = mkdtempSync(join(tmpdir(), "sluice-test-"));
chmodSync(scratch, 0o755); // containers and the ordinary user look into it

// what the developer has set for a gateway of their own is not meant for these
const surroundings = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_") || name === "SLUICE_CHROMIUM"),
);
const running = new Set();
const endings = [];
let logs = 0;

export class Failure extends Error {}

/** Called at the end, the last one first, however the run ends. */
export const atTheEnd = (ending) => endings.unshift(ending);

function start(name, args, { cwd = root, env = {}, user, onLine, log } = {}) {
  log ??= join(scratch, `${String(++logs).padStart(2, "0")}-${basename(name)}.log`);
  const out = createWriteStream(log, { flags: "a" });
  const child = spawn(name, args, {
    cwd,
    env: { ...surroundings, ...env },
    detached: true, // a group of its own, so that all it starts can be ended with it, and nothing else
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  running.add(child);
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      out.write(`${line}\n`);
      onLine?.(line);
    });
  const ended = new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Failure(`${name} does not start: ${error.message}`)));
    child.on("close", (code, signal) => resolve(signal ? 128 + constants.signals[signal] : code));
  }).finally(() => {
    running.delete(child);
    out.end();
  });
  const fault = (what) =>
    new Failure(`${basename(name)} ${args.slice(0, 3).join(" ")} ${what}; its last lines:\n${lastLines(log)}`);
  return { child, ended, fault, log };
}

/** Runs a program to its end; any code that is not in `allow` is a failure. */
export async function command(name, args, { limit = 1800, allow = [0], ...options } = {}) {
  const { child, ended, fault } = start(name, args, options);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child, "SIGKILL");
  }, limit * 1000);
  const code = await ended.finally(() => clearTimeout(timer));
  if (late) throw fault(`took longer than ${limit} s`);
  if (!allow.includes(code)) throw fault(`ended with ${code}`);
  return code;
}

/** What a program prints. */
export async function output(name, args, options = {}) {
  const lines = [];
  await command(name, args, { ...options, onLine: (line) => lines.push(line) });
  return lines.join("\n");
}

/** Starts a server and waits for the line that says it serves. */
export async function server(name, args, { ready, limit = 60, ...options }) {
  let seen;
  const line = new Promise((resolve) => {
    seen = resolve;
  });
  const onLine = (text) => ready.test(text) && seen(ready.exec(text));
  const { child, ended, fault, log } = start(name, args, { ...options, onLine });
  const stop = (signal = "SIGTERM") => {
    if (running.has(child)) child.kill(signal);
    return ended;
  };
  atTheEnd(stop);
  const timer = setTimeout(() => seen(undefined), limit * 1000);
  const early = ended.then((code) => Promise.reject(fault(`ended with ${code} before it served`)));
  const match = await Promise.race([line, early]).finally(() => clearTimeout(timer));
  early.catch(() => undefined); // from here on its end is no surprise
  if (!match) throw fault(`did not serve within ${limit} s`);
  return { match, ended, stop, log, pid: child.pid };
}

function endGroup(child, signal) {
  end(-child.pid, signal);
}

function end(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (gone) {
    if (gone.code !== "ESRCH") throw gone;
  }
}

/** Tasks outlive the gateway that started them, as they should; those of the gateways that ran here are told by their folder. */
function endTasks() {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids.filter((name) => words(name).includes(`${scratch}/`))) end(Number(pid), "SIGKILL");
}

/** Nothing when it has ended meanwhile. */
function words(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function lastLines(log, most = 40) {
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-most).join("\n");
}

/** Ends what still runs, the last started first, and removes the scratch folder (SLUICE_TEST_KEEP=1 keeps it). */
export async function putAway() {
  for (const ending of endings.splice(0)) await ending();
  for (const child of running) endGroup(child, "SIGTERM");
  endTasks();
  if (process.env.SLUICE_TEST_KEEP) console.log(`kept ${scratch}`);
  else rmSync(scratch, { recursive: true, force: true });
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, async () => {
    for (const child of running) endGroup(child, "SIGTERM");
    await putAway();
    process.exit(128 + constants.signals[signal]);
  });
