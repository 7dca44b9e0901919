// What a gateway needs while it is at work, and how long others wait meanwhile.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { javaHome, scratch } from "./measure.mjs";
import { fetchPage } from "./visitor.mjs";

/** More than there are event loops: each has some of these lines. */
const LINES = 16;
const EVERY = 20;
const COLLECTIONS = join(scratch, "collections.log");

/** For the gateway that is to be watched. */
export const watched = {
  SLUICE_JAVA_OPTS: `-XX:NativeMemoryTracking=summary -Xlog:gc:file=${COLLECTIONS}:none`,
};

/** Megabytes that buffers take beside the heap. */
async function beside(pid) {
  const args = [String(pid), "VM.native_memory", "summary", "scale=KB"];
  const { stdout } = await promisify(execFile)(join(javaHome(), "bin/jcmd"), args);
  const [, committed] = /Other \(reserved=\d+KB, committed=(\d+)KB/.exec(stdout) ?? [];
  if (!committed) throw new Error(`native memory is described in other words: ${stdout}`);
  return Number(committed) / 1024;
}

/** Of each collection so far: megabytes that were left, and milliseconds that all stood still. */
export function collections() {
  const text = existsSync(COLLECTIONS) ? readFileSync(COLLECTIONS, "utf8") : "";
  return [...text.matchAll(/Pause .* \d+M->(\d+)M\(\d+M\) ([\d.]+)ms/g)].map(([, left, pause]) => ({
    left: Number(left),
    pause: Number(pause),
  }));
}

/** How often Vert.x has told so of a gateway that the benchmark has started. */
const blocked = () => (readFileSync(join(scratch, "programs.log"), "utf8").match(/has been blocked for/g) ?? []).length;

/** Does the work, and asks for the cheapest page every 20 ms meanwhile. */
export async function watch(gateway, work) {
  const agents = Array.from({ length: LINES }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ask = async (agent) => {
    const began = performance.now();
    const { status } = await fetchPage(gateway.address, "/healthz", { agent });
    if (status !== 200) throw new Error(`/healthz answers ${status}`);
    return performance.now() - began;
  };
  const pid = gateway.child.pid;
  await Promise.all(agents.map(ask));
  const [empty, warnings, past] = [await beside(pid), blocked(), collections().length];
  const waits = [];
  const buffers = [];
  let over = false;
  const probes = (async () => {
    const asked = [];
    for (let turn = 0; !over; turn++) {
      asked.push(ask(agents[turn % LINES]).then((wait) => waits.push(wait)));
      await pause(EVERY);
    }
    await Promise.all(asked);
  })();
  const samples = (async () => {
    for (; !over; await pause(500)) buffers.push((await beside(pid)) - empty);
  })();
  try {
    await work();
  } finally {
    over = true;
    await Promise.all([probes, samples]);
    for (const agent of agents) agent.destroy();
  }
  const pauses = collections().slice(past);
  return {
    waits,
    beside: Math.max(...buffers),
    warnings: blocked() - warnings,
    pause: Math.max(0, ...pauses.map((one) => one.pause)),
  };
}
