// Logs: one job that prints to many followers, beside nginx with nchan; ingest; memory of followers; search beside grep.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { followers } from "./followers.mjs";
import { freePort, javaHome, PASSWORD, percentile, root, scratch, start, timeToAnswer } from "./measure.mjs";
import { fetchPage } from "./visitor.mjs";

const NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so";
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

export const withoutNchan = () =>
  existsSync(NCHAN) ? null : "nginx with nchan is not installed (apt-get install nginx libnginx-mod-nchan)";

function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Followers of something that has begun to come: what arrived, how late, and the server's processor time. */
async function watch(crowd, pid, seconds) {
  const [cpu, began] = [ticks(pid), performance.now()];
  crowd.measuring = true;
  await pause(seconds * 1000);
  crowd.measuring = false;
  const wall = (performance.now() - began) / 1000;
  return {
    cores: (ticks(pid) - cpu) / 100 / wall,
    p50: percentile(crowd.waits, 0.5),
    p99: percentile(crowd.waits, 0.99),
    megabytes: crowd.bytes / 1e6 / wall,
  };
}

export class Gateway {
  static async open() {
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
    ];
    const { child } = await timeToAnswer(join(root, "sluice"), args, { port, path: "/readyz", env });
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
  const log = await gateway.print("fan", `node /userhome/print.mjs ${rate} ${seconds + 60}`);
  const crowd = await followers(gateway.port, `${log}?tail=0`, count, gateway.headers);
  await pause(4000);
  const ours = await watch(crowd, gateway.child.pid, seconds);
  crowd.close();
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
  const crowd = await followers(port, "/sub", count);
  const printer = join(scratch, "pipe.mjs");
  writeFileSync(
    printer,
    `import { Agent, request } from "node:http"; import { spawn } from "node:child_process";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const source = spawn(process.execPath, process.argv.slice(3));
source.stdout.on("data", (body) => request({ port: process.argv[2], path: "/pub", method: "POST", agent }, (answer) => answer.resume()).end(body));`,
  );
  writeFileSync(join(scratch, "print.mjs"), PRINTER);
  const publisher = start(process.execPath, [
    printer,
    String(port),
    join(scratch, "print.mjs"),
    String(rate),
    String(seconds + 20),
  ]);
  await pause(4000);
  const theirs = await watch(crowd, child.pid, seconds);
  crowd.close();
  await publisher.stop();
  await child.stop();
  return theirs;
}

/** One job at a rate of bytes, with a follower that reads all. */
export async function ingest(megabytes, seconds) {
  const gateway = await Gateway.open();
  const lines = (megabytes * 1e6) / 120;
  const log = await gateway.print("ingest", `node /userhome/print.mjs ${lines} ${seconds + 20}`);
  const crowd = await followers(gateway.port, `${log}?tail=0`, 1, gateway.headers);
  await pause(2000);
  const before = await gateway.size(log);
  const watched = await watch(crowd, gateway.child.pid, seconds);
  const stored = ((await gateway.size(log)) - before) / 1e6 / seconds;
  crowd.close();
  await gateway.close();
  return { ...watched, stored };
}

/** Heap per follower of a log on which nothing happens, and of one who reads nothing of a log that grows. */
export async function memory(count) {
  const gateway = await Gateway.open();
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
  const empty = gateway.heap();
  const stalled = await followers(gateway.port, busy, 200, gateway.headers);
  for (const socket of stalled.sockets) socket.pause();
  await pause(6000);
  const full = (gateway.heap() - empty) / 200 / 1024;
  stalled.close();
  await gateway.close();
  return { idle, full };
}

/** Megabytes a second, ours over HTTP and grep's, for a text that is not there. */
export async function search(rounds) {
  const gateway = await Gateway.open();
  const log = await gateway.print(
    "large",
    "node /userhome/print.mjs 1 1; yes \"$(head -c 119 /dev/zero | tr '\\0' x)\" | head -c 1000000000",
  );
  await gateway.ended(log);
  const file = execFileSync("find", [join(gateway.data, "jobs"), "-name", "main-0-0.log", "-size", "+100M"], {
    encoding: "utf8",
  }).trim();
  const [size, ours, grep] = [statSync(file).size, [], []];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    const answer = await fetchPage(gateway.address, `${log}?grep=Traceback`, { headers: gateway.headers });
    const last = JSON.parse(`${answer.body}`.trim().split("\n").at(-1));
    if (last.scanned !== size) throw new Error(`searched ${last.scanned} of ${size}`);
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
