// The road to an app beside other proxies: the proxy and the app share a core that is thereby busy, the load has the other one.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { followers } from "./followers.mjs";
import { interleaved, residentMebibytes, start } from "./measure.mjs";
import { echoProgram, family, listener, peers, pin, processor, site } from "./peers.mjs";

const LOAD = 0;
const PROXY = 1;
const UNIT = { us: 1e-3, ms: 1, s: 1e3 };

function wrk({ port, headers = {}, pids }, path, connections, seconds) {
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const load = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "--timeout", "20s", ...lines];
  const before = processor(pids);
  const args = ["-c", String(LOAD), "wrk", ...load, `http://127.0.0.1:${port}/${path}`];
  const { stdout } = spawnSync("taskset", args, { encoding: "utf8" });
  const spent = processor(pids) - before;
  const bad = /Non-2xx.*|Socket errors.*/.exec(stdout);
  if (bad || !/Requests\/sec/.test(stdout)) throw new Error(`wrk at ${port}/${path}: ${bad?.[0] ?? stdout}`);
  const late = (share) => {
    const [, value, unit] = new RegExp(`\\s${share}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout);
    return Number(value) * UNIT[unit];
  };
  const requests = Number(/(\d+) requests in/.exec(stdout)[1]);
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]),
    p50: late(50),
    p99: late(99),
    cpu: (1000 * spent) / requests,
  };
}

async function load({ port, headers = {}, pids }, connections, bytes, warm, seconds) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const words = ["load", port, connections, bytes, warm, seconds].map(String);
  const child = start("taskset", ["-c", String(LOAD), echoProgram(), ...words, ...lines], { talking: true });
  let said = "";
  let before = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
    before ||= processor(pids);
  });
  const code = await child.ended.then(() => child.exitCode);
  if (code !== 0) throw new Error(`echo at ${port} ends with ${code}`);
  const { rate, p50, p99, messages } = JSON.parse(said.split("\n")[1]);
  return { rate, p50, p99, cpu: (1000 * (processor(pids) - before)) / messages };
}

/** Browsers say of a WebSocket whose page it is. */
const asPage = (headers) => ({ ...headers, Origin: `http://${headers.Host}` });

/** Everybody on their core; compiled while there are two. */
async function ground(name, plainly) {
  const at = await site(name);
  const pages = await at.door("pages", at.app);
  const sockets = await at.door("sockets", at.echo);
  const others = await peers(at.app, at.echo);
  const port = Number(new URL(at.address).port);
  const ours = { port, pids: [at.pid] };
  const gateways = [at];
  const candidates = {
    direct: { port: at.app, sockets: at.echo, pids: family(listener(at.app)) },
    ours: { ...ours, headers: await pages(), socketHeaders: asPage(await sockets()) },
    ...Object.fromEntries(
      ["nginx", "haproxy", "caddy", "chp", "chpSockets"].map((name) => {
        const { port, sockets, child } = others[name];
        return [name, { port, sockets, pids: family(child.pid) }];
      }),
    ),
  };
  if (plainly) {
    const bare = await site(`${name}-plain`, { plainly: true });
    gateways.push(bare);
    candidates.plain = {
      port: Number(new URL(bare.address).port),
      pids: [bare.pid],
      headers: await (await bare.door("pages", bare.app))(),
      socketHeaders: asPage(await (await bare.door("sockets", bare.echo))()),
    };
  }
  return {
    candidates,
    pinned() {
      for (const { pids } of Object.values(candidates)) pin(pids, PROXY);
      for (const gateway of gateways)
        pin(
          [listener(gateway.app), listener(gateway.echo)].flatMap((pid) => family(pid)),
          PROXY,
        );
    },
    close: () => Promise.all(gateways.map((gateway) => gateway.close())),
  };
}

const COMPILERS = /^C[12] Compiler/;

/** Milliseconds of processor of those compilers that there are; they come and go. */
function compiling(pid) {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const at = `/proc/${pid}/task/${thread}`;
    if (existsSync(at) && COMPILERS.test(readFileSync(`${at}/comm`, "utf8")))
      sum += Number(readFileSync(`${at}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  }
  return sum;
}

/**
 * As it is when it has run for a while: its compilers share its core, and what they take of it for the first minutes, in pieces of
 * milliseconds, is the longest that a request waits.
 */
function settle(candidate, path) {
  const pieces = 5;
  const little = 0.003 * pieces * 1000;
  for (let quiet = 0, i = 0; quiet < 3 && i < 36; i++) {
    const before = compiling(candidate.pids[0]);
    wrk(candidate, path, 64, pieces);
    quiet = compiling(candidate.pids[0]) - before < little ? quiet + 1 : 0;
  }
}

const chosen = (candidates, names) => Object.fromEntries(names.map((name) => [name, candidates[name]]));

/** Answers of three sizes. */
export async function measureProxy({ rounds, seconds, warm }) {
  const { candidates, pinned, close } = await ground("proxy", true);
  const all = chosen(candidates, ["direct", "ours", "nginx", "haproxy", "caddy", "chp"]);
  const large = { ...all, plain: candidates.plain };
  delete large.caddy;
  try {
    for (const [path, connections] of [
      ["1k", 64],
      ["100k", 64],
      ["10m", 8],
    ]) {
      wrk(candidates.ours, path, connections, path === "1k" ? warm : Math.ceil(warm / 3));
      if (path !== "1k") wrk(candidates.plain, path, connections, Math.ceil(warm / 3));
    }
    pinned();
    const measured = (of, path, connections) =>
      interleaved(
        rounds,
        Object.fromEntries(Object.entries(of).map(([name, one]) => [name, () => wrk(one, path, connections, seconds)])),
      );
    for (const one of Object.values(all)) wrk(one, "1k", 64, 2);
    settle(candidates.ours, "1k");
    return {
      small: await measured(all, "1k", 64),
      middle: await measured(large, "100k", 64),
      large: await measured(large, "10m", 8),
      lost: flagsLost(candidates.ours.pids[0]),
    };
  } finally {
    await close();
  }
}

/** Messages of two sizes, one in flight on each of 64 sockets. */
export async function measureSockets({ rounds, seconds, warm }) {
  const { candidates, pinned, close } = await ground("sockets", true);
  const socket = ({ port, sockets, headers, socketHeaders, pids }) => ({
    port: sockets ?? port,
    headers: socketHeaders ?? headers,
    pids,
  });
  const all = chosen(candidates, ["direct", "ours", "nginx", "haproxy", "chpSockets", "plain"]);
  try {
    for (const name of ["ours", "plain"])
      for (const bytes of [128, 16384]) await load(socket(all[name]), 64, bytes, 1, Math.ceil(warm / 2));
    pinned();
    const measured = (bytes) =>
      interleaved(
        rounds,
        Object.fromEntries(
          Object.entries(all).map(([name, one]) => [name, () => load(socket(one), 64, bytes, 1, seconds)]),
        ),
      );
    return { small: await measured(128), large: await measured(16384) };
  } finally {
    await close();
  }
}

/** What keeps JDK 24 and newer as fast as older ones on large buffers. */
export const NEEDED = [
  "-Dio.netty.noUnsafe=false",
  "--sun-misc-unsafe-memory-access=allow",
  "--enable-native-access=ALL-UNNAMED",
];

/** Those of them with which the gateway of this process does not run, whoever lost them. */
function flagsLost(pid) {
  const given = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  const files = given.filter((word) => word.startsWith("@")).map((word) => readFileSync(word.slice(1), "utf8"));
  const run = [...given, ...files.flatMap((text) => text.split("\n"))].map((word) => word.trim());
  return NEEDED.filter((flag) => !run.includes(flag));
}

const threads = (pid) => readdirSync(`/proc/${pid}/task`).length;

/** What so many sockets that are open and silent cost the gateway in memory, all in all. */
export async function measureIdleSockets(count) {
  const at = await site("idle-sockets");
  try {
    const enter = await at.door("sockets", at.echo);
    const port = Number(new URL(at.address).port);
    const crowd = async (size) => followers(port, "/x", size, asPage(await enter()));
    // what the first ones bring is there once for all
    const first = await crowd(200);
    first.close();
    await settled(at.pid);
    const before = residentMebibytes(at.pid);
    const crowds = [];
    for (let open = 0; open < count; open += 1000) crowds.push(await crowd(Math.min(1000, count - open)));
    await settled(at.pid);
    const after = residentMebibytes(at.pid);
    const silent = { each: ((after - before) * 1024) / count, before, after, threads: threads(at.pid) };
    for (const one of crowds) one.close();
    return silent;
  } finally {
    await at.close();
  }
}

/** Until its memory does not move any more. */
async function settled(pid) {
  let last = -1;
  for (let still = 0; still < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const now = residentMebibytes(pid);
    still = Math.abs(now - last) < 0.5 ? still + 1 : 0;
    last = now;
  }
  return readFileSync(`/proc/${pid}/status`, "utf8");
}
