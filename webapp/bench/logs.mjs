// Logs: one job that prints to many followers, beside nginx with nchan; ingest; memory of followers; search beside grep.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { followers } from "./followers.mjs";
import { freePort, javaHome, PASSWORD, root, scratch, start, timeToAnswer } from "./measure.mjs";
import { asked } from "./programs.mjs";
import { fetchPage } from "./visitor.mjs";

const NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so";
const WS = join(root, "webapp/journeys/node_modules/ws/index.js");
const env = { SLUICE_ADMIN_PASSWORD: PASSWORD };

/** Prints so many lines a second of 120 bytes, each with the time, in batches of 20 ms. */
const PRINTER = `
import { hrtime } from "node:process";
const [rate, seconds] = process.argv.slice(2).map(Number);
const begun = hrtime.bigint();
let printed = 0;
const tick = setInterval(() => {
  const due = Math.floor((Number(hrtime.bigint() - begun) / 1e9) * rate);
  const lines = [];
  for (; printed < due; printed++) lines.push(("@" + hrtime.bigint() + "@ step " + printed + " loss=0.123456 ").padEnd(119, "x"));
  if (lines.length) process.stdout.write(lines.join("\\n") + "\\n");
  if (printed >= rate * seconds) clearInterval(tick);
}, 20);
`;

/** Prints so many megabytes, at so many a second or, at 0, as fast as they are taken; says how long it took. */
const FLOOD = `
import { writeFileSync, writeSync } from "node:fs";
const [name, megabytes, rate] = [process.argv[2], ...process.argv.slice(3).map(Number)];
const piece = Buffer.from(("a line of a log, neither long nor short, as a program prints it at each of its steps ").padEnd(119, "x").concat("\\n").repeat(833));
const write = (bytes) => { for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at); };
const begun = performance.now();
for (let written = 0; written < megabytes * 1e6; written += piece.length) {
  const early = rate ? written / rate / 1000 - (performance.now() - begun) : 0;
  if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
  write(piece);
}
writeFileSync("/userhome/" + name, String(performance.now() - begun));
`;

/** Prints so many megabytes of what a training prints: no two lines of a megabyte alike, with times, numbers, paths, warnings, and words like the one sought. */
const TRAINING = `
import { writeSync } from "node:fs";
let seed = 7;
const any = (below) => (seed = (seed * 48271) % 2147483647) % below;
const kinds = [
  (n) => "INFO trainer.py:" + any(400) + "] step " + n + " loss=" + (any(90000) / 10000).toFixed(4) + " lr=" + (any(900) / 1e6).toExponential(2) + " tokens/s=" + any(99999),
  (n) => "DEBUG TransformerBlock." + any(48) + " grad_norm=" + (any(1e6) / 1e5).toFixed(5) + " Tracking buffer " + any(1 << 20).toString(16),
  (n) => "WARNING /usr/lib/python3.12/site-packages/torch/_dynamo/trace_rules.py:" + any(3000) + ": Traced graph break in frame " + n,
  (n) => "epoch " + (n >> 9) + " |" + "#".repeat(any(30)) + " ".repeat(any(9)) + "| " + any(100) + "% eta 0:" + (10 + any(49)) + ":" + (10 + any(49)),
  (n) => "rank" + any(8) + " all_reduce " + any(512) + " MiB in " + (any(9999) / 100).toFixed(2) + " ms, Transfer queue " + any(64) + " 数据加载 " + any(99) + " ms",
];
let text = "";
for (let n = 0; text.length < 1e6; n++)
  text += "2026-11-18 1" + any(9) + ":" + (10 + any(49)) + ":" + (10 + any(49)) + "," + (100 + any(899)) + " " + kinds[any(kinds.length)](n) + "\\n";
const piece = Buffer.from(text);
const write = (bytes) => { for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at); };
for (let written = 0; written < Number(process.argv[2]) * 1e6; written += piece.length) write(piece);
`;

export const withoutNchan = () =>
  existsSync(NCHAN) ? null : "nginx with nchan is not installed (apt-get install nginx libnginx-mod-nchan)";

export const withoutWs = () =>
  existsSync(WS) ? null : "the package ws is not installed (`./sluice test journeys` brings it)";

function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

const headerLines = (headers) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

/** Followers of something that has begun to come: what arrived, how late, and the server's processor time. */
async function watch(port, path, count, { pid, seconds, rate, offset = 0, headers = {} }) {
  const crowd = asked(
    "io.sluice.logs.FollowersBench",
    String(port),
    path,
    String(count),
    "50",
    String(offset),
    ...headerLines(headers),
  );
  await crowd.ask("4000"); // compiled, and its buffers grown
  const [cpu, began] = [ticks(pid), performance.now()];
  const {
    bytes,
    p50,
    p99,
    closed,
    torn,
    lines,
    seconds: counted,
  } = JSON.parse(await crowd.ask(String(seconds * 1000)));
  const wall = (performance.now() - began) / 1000;
  const cores = (ticks(pid) - cpu) / 100 / wall;
  await crowd.close();
  if (closed > 0) throw new Error(`${closed} of ${count} followers were turned out`);
  return { cores, p50, p99, torn, lines, delivered: bytes / counted / (count * rate * 120) };
}

export class Gateway {
  static async open(more = {}) {
    const port = await freePort();
    const data = join(scratch, `logs-${port}`);
    const args = [
      "up",
      "--port",
      String(port),
      "--data",
      data,
      "--streams-per-user",
      "9000",
      "--connections-per-address",
      "9000",
      "--calls-per-minute",
      "999999999",
    ];
    const { child } = await timeToAnswer(join(root, "sluice"), args, {
      port,
      path: "/readyz",
      env: { ...env, ...more },
    });
    const gateway = Object.assign(new Gateway(), { child, port, data, logs: [], address: `http://127.0.0.1:${port}` });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ username: "admin", password: PASSWORD });
    const signIn = () => fetchPage(gateway.address, "/api/v2/authn/basic/login", { method: "POST", headers, body });
    let signedIn = await signIn();
    // it serves a moment before the first administrator is there
    for (let tries = 0; signedIn.status !== 200 && tries < 50; tries++) {
      await pause(100);
      signedIn = await signIn();
    }
    gateway.headers = { authorization: `Bearer ${JSON.parse(signedIn.body).token}` };
    mkdirSync(join(data, "homes/admin"), { recursive: true, mode: 0o700 });
    writeFileSync(join(data, "homes/admin/print.mjs"), PRINTER);
    writeFileSync(join(data, "homes/admin/flood.mjs"), FLOOD);
    return gateway;
  }

  /** The path of the log of a job that has begun to print. */
  async print(name, command) {
    const role = { name: "main", cpuNumber: 0, memoryMB: 512, command };
    const body = JSON.stringify({ jobName: name, image: "none", taskRoles: [role] });
    const headers = { ...this.headers, "content-type": "application/json" };
    const answer = await fetchPage(this.address, "/api/v2/jobs", { method: "POST", headers, body });
    if (answer.status !== 202) throw new Error(`${answer.body}`);
    const log = `/api/v2/jobs/admin~${name}/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log`;
    this.logs.push(log);
    while (!((await this.size(log)) > 0)) await pause(20);
    return log;
  }

  /** Tasks outlive their gateway: they are ended first. */
  async close() {
    const path = (log) => `${log.split("/attempts/")[0]}/executionType`;
    const headers = { ...this.headers, "content-type": "application/json" };
    for (const log of this.logs) {
      await fetchPage(this.address, path(log), { method: "PUT", headers, body: '{"value":"STOP"}' });
      await this.ended(log);
    }
    await this.child.stop();
  }

  async size(log) {
    const answer = await fetchPage(this.address, log, { method: "HEAD", headers: this.headers });
    return answer.status === 200 ? Number(answer.headers["x-log-size"]) : -1;
  }

  async ended(log) {
    const state = async () =>
      (await fetchPage(this.address, log, { method: "HEAD", headers: this.headers })).headers["x-log-state"];
    while ((await state()) !== "ended") await pause(50);
  }

  /** Bytes beside the heap that buffers take: of all that programs allocate themselves. */
  direct() {
    const args = [String(this.child.pid), "VM.native_memory", "summary", "scale=KB"];
    const text = execFileSync(join(javaHome(), "bin/jcmd"), args, { encoding: "utf8" });
    const [, committed] = /Other \(reserved=\d+KB, committed=(\d+)KB/.exec(text) ?? [];
    if (!committed) throw new Error(`native memory is described in other words: ${text}`);
    return Number(committed) * 1024;
  }

  /** Bytes of the heap that are in use once what nobody needs has gone. */
  heap() {
    const jcmd = join(javaHome(), "bin/jcmd");
    for (let times = 0; times < 2; times++) execFileSync(jcmd, [String(this.child.pid), "GC.run"]);
    const text = execFileSync(jcmd, [String(this.child.pid), "GC.heap_info"], { encoding: "utf8" });
    const generations = [...text.matchAll(/(?:generation|DefNew|Tenured).*used (\d+)K/g)];
    if (generations.length !== 2) throw new Error(`the heap is described in other words: ${text}`);
    return generations.reduce((sum, [, used]) => sum + Number(used) * 1024, 0);
  }
}

export async function fanOut(count, rate, seconds) {
  const gateway = await Gateway.open();
  const log = await gateway.print("fan", `node /userhome/print.mjs ${rate} ${seconds + 120}`);
  const { port, headers } = gateway;
  const ours = await watch(port, `${log}?tail=0`, count, {
    pid: gateway.child.pid,
    seconds,
    rate,
    // each frame of ours begins with eight bytes of offset
    offset: 8,
    headers,
  });
  await gateway.close();
  return ours;
}

export async function nchan(count, rate, seconds) {
  const port = await freePort();
  const file = join(scratch, "nchan.conf");
  writeFileSync(
    file,
    `daemon off; master_process off; worker_processes 1; pid ${scratch}/nchan.pid; error_log ${scratch}/nchan.err; load_module ${NCHAN};
events { worker_connections 16384; }
http { access_log off; nchan_shared_memory_size 512M; keepalive_timeout 600s; server { listen 127.0.0.1:${port} backlog=4096;
location = /pub { nchan_publisher http; nchan_channel_id logs; nchan_message_buffer_length 10; nchan_message_timeout 5s; client_max_body_size 8m; client_body_buffer_size 1m; }
location = /sub { nchan_subscriber websocket; nchan_channel_id logs; nchan_subscriber_first_message newest; nchan_websocket_ping_interval 0; }
location = /ready { return 200; } } }`,
  );
  const { child } = await timeToAnswer("nginx", ["-c", file], { port, path: "/ready" });
  const printer = join(scratch, "pipe.mjs");
  writeFileSync(
    printer,
    `import { Agent, request } from "node:http"; import { spawn } from "node:child_process";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const source = spawn(process.execPath, process.argv.slice(3));
source.stdout.on("data", (body) => request({ port: process.argv[2], path: "/pub", method: "POST", agent }, (answer) => answer.resume()).end(body));
process.on("SIGTERM", () => { source.kill(); process.exit(); });`,
  );
  writeFileSync(join(scratch, "print.mjs"), PRINTER);
  const source = [join(scratch, "print.mjs"), String(rate), String(seconds + 120)];
  const publisher = start(process.execPath, [printer, String(port), ...source]);
  const theirs = await watch(port, "/sub", count, { pid: child.pid, seconds, rate });
  await publisher.stop();
  await child.stop();
  return theirs;
}

/** Node.js with ws, sending each piece that a program prints to all. */
export async function ws(count, rate, seconds) {
  const port = await freePort();
  const server = join(scratch, "ws.mjs");
  writeFileSync(join(scratch, "print.mjs"), PRINTER);
  writeFileSync(
    server,
    `import { createServer } from "node:http"; import { spawn } from "node:child_process"; import ws from ${JSON.stringify(WS)};
const server = createServer((asked, answer) => answer.end());
const sockets = new ws.Server({ server, perMessageDeflate: false });
const source = spawn(process.execPath, process.argv.slice(3));
source.stdout.on("data", (piece) => { for (const socket of sockets.clients) socket.send(piece, { binary: true }); });
process.on("SIGTERM", () => { source.kill(); process.exit(); });
server.listen(Number(process.argv[2]), "127.0.0.1", 4096);`,
  );
  const source = [join(scratch, "print.mjs"), String(rate), String(seconds + 120)];
  const { child } = await timeToAnswer(process.execPath, [server, String(port), ...source], { port, path: "/" });
  const theirs = await watch(port, "/", count, { pid: child.pid, seconds, rate });
  await child.stop();
  return theirs;
}

/** So many jobs at a rate of megabytes each, every one with a follower that reads all. */
export async function ingest(jobs, megabytes, seconds) {
  const gateway = await Gateway.open();
  const logs = [];
  const command = (name) => `node /userhome/flood.mjs ${name} ${megabytes * (seconds + 30)} ${megabytes}`;
  for (let job = 0; job < jobs; job++) logs.push(await gateway.print(`ingest${job}`, command(`ingest${job}`)));
  const crowds = [];
  for (const log of logs) crowds.push(await followers(gateway.port, `${log}?tail=0`, 1, gateway.headers));
  await pause(3000);
  const sum = async () => (await Promise.all(logs.map((log) => gateway.size(log)))).reduce((a, b) => a + b, 0);
  const followed = () => crowds.reduce((total, crowd) => total + crowd.bytes, 0);
  const { pid } = gateway.child;
  const [cpu, began, stored, read] = [ticks(pid), performance.now(), await sum(), followed()];
  await pause(seconds * 1000);
  const wall = (performance.now() - began) / 1000;
  const result = {
    cores: (ticks(pid) - cpu) / 100 / wall,
    stored: ((await sum()) - stored) / 1e6 / wall,
    followed: (followed() - read) / 1e6 / wall,
  };
  for (const crowd of crowds) crowd.close();
  await gateway.close();
  return result;
}

/** Milliseconds that a job takes to print, as fast as it can, with nobody and with somebody who follows. */
export async function slowed(megabytes, rounds) {
  const gateway = await Gateway.open();
  const [alone, followed] = [[], []];
  for (let round = 0; round <= rounds; round++)
    for (const isFollowed of round % 2 ? [true, false] : [false, true]) {
      const name = `${isFollowed ? "followed" : "alone"}${round}`;
      const log = await gateway.print(name, `echo begun; sleep 1; node /userhome/flood.mjs ${name} ${megabytes} 0`);
      const crowd = isFollowed ? await followers(gateway.port, log, 1, gateway.headers) : null;
      await gateway.ended(log);
      crowd?.close();
      // the first round brings the machine up to it
      if (round > 0)
        (isFollowed ? followed : alone).push(Number(readFileSync(join(gateway.data, "homes/admin", name), "utf8")));
    }
  await gateway.close();
  return { alone, followed };
}

/** Heap per follower of a log on which nothing happens; heap and memory beside it of one who reads nothing of a log that grows. */
export async function memory(count) {
  const gateway = await Gateway.open({ SLUICE_JAVA_OPTS: "-XX:NativeMemoryTracking=summary" });
  const quiet = await gateway.print("quiet", "echo begun; sleep 600");
  (await followers(gateway.port, quiet, 20, gateway.headers)).close();
  await pause(1000);
  const before = gateway.heap();
  const crowd = await followers(gateway.port, quiet, count, gateway.headers);
  await pause(2000);
  const idle = (gateway.heap() - before) / count / 1024;
  crowd.close();
  await pause(2000);
  const busy = await gateway.print("busy", "node /userhome/print.mjs 100000 60");
  const [empty, direct] = [gateway.heap(), gateway.direct()];
  const stalled = await followers(gateway.port, busy, 200, gateway.headers);
  for (const socket of stalled.sockets) socket.pause();
  await pause(6000);
  const full = (gateway.heap() - empty) / 200 / 1024;
  const beside = (gateway.direct() - direct) / 200 / 1024;
  stalled.close();
  await gateway.close();
  return { idle, full, beside };
}

/** Megabytes a second, ours over HTTP (in what is seen, as the viewer asks) and grep's, for a text that is not there. */
export async function search(rounds) {
  const gateway = await Gateway.open();
  writeFileSync(join(gateway.data, "homes/admin/train.mjs"), TRAINING);
  const log = await gateway.print("large", "node /userhome/train.mjs 1000");
  await gateway.ended(log);
  const file = execFileSync("find", [join(gateway.data, "jobs"), "-name", "main-0-0.log", "-size", "+100M"], {
    encoding: "utf8",
  }).trim();
  const [size, ours, grep] = [statSync(file).size, [], []];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const answer = await fetchPage(gateway.address, `${log}?grep=Traceback&plain=1`, { headers: gateway.headers });
    const last = JSON.parse(`${answer.body}`.trim().split("\n").at(-1));
    if (last.upTo !== size) throw new Error(`searched up to ${last.upTo} of ${size}`);
    const middle = performance.now();
    try {
      execFileSync("grep", ["-c", "Traceback", file]);
    } catch (none) {
      if (none.status !== 1) throw none;
    }
    if (round > 0) {
      ours.push(size / 1000 / (middle - began));
      grep.push(size / 1000 / (performance.now() - middle));
    }
  }
  await gateway.close();
  return { ours, grep };
}
