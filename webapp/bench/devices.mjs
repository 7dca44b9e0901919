// Charts of a job of 8 devices and a day, from the database and from a real Prometheus, drawn in Chromium; and a gateway with 10,000 devices.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { clock, database, gateway, job, marks } from "./gateway.mjs";
import { freePort, PASSWORD, root, run, scratch, start } from "./measure.mjs";
import { session } from "./visitor.mjs";

const DAY = 86_400;
const EVERY = 15;
const POINTS = 240;
const OF_DEVICES = {
  accelerator_utilization_ratio: ["utilization", (x) => x],
  accelerator_memory_used_bytes: ["memory_used", (x) => 4e10 + x * 1e10],
  accelerator_power_watts: ["power", (x) => 100 + 300 * x],
  accelerator_temperature_celsius: ["temperature", (x) => 40 + 30 * x],
  accelerator_memory_bandwidth_utilization_ratio: ["memory_bandwidth", (x) => x / 2],
};
const OF_TASKS = {
  sluice_task_cpu_seconds_total: ["cpu", 1],
  sluice_task_memory_bytes: ["memory", 0],
  sluice_task_network_receive_bytes_total: ["network_received", 1e5],
  sluice_task_network_transmit_bytes_total: ["network_sent", 2e5],
  sluice_task_disk_read_bytes_total: ["disk_read", 1e6],
  sluice_task_disk_written_bytes_total: ["disk_written", 2e6],
};

/** From 0 to 1, never the same twice, so that nothing is told by leaving it out. */
const load = (device, second) =>
  0.5 + 0.3 * Math.sin(second / 700 + device) + 0.2 * Math.sin(second * (1.7 + device / 10) + device);

/** A day of a task and its devices, as Prometheus would have read it. */
function backfill(labels, task, from, folder) {
  const lines = [];
  const family = (name, type, sets, value) => {
    lines.push(`# TYPE ${type === "counter" ? name.replace(/_total$/, "") : name} ${type}`);
    for (const [at, set] of sets.entries())
      for (let second = 0; second <= DAY; second += EVERY)
        lines.push(`${name}${set} ${value(at, second)} ${from + second}`);
  };
  const plain = labels.map((one) => one.replace(/,job_id=.*/, "}"));
  family("accelerator_assignment", "gauge", labels, () => 1);
  for (const [name, [, value]] of Object.entries(OF_DEVICES))
    family(name, "gauge", plain, (at, second) => value(load(at, second)).toFixed(4));
  for (const [name, [, rate]] of Object.entries(OF_TASKS))
    family(name, rate ? "counter" : "gauge", [task], (_, second) => (rate ? rate * second : 1e9 + second));
  const file = join(scratch, "day.txt");
  writeFileSync(file, `${lines.join("\n")}\n# EOF\n`);
  execFileSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", "--quiet", file, folder], { stdio: "pipe" });
}

/** The same day as the gateway has written it down. */
function written(devices, from) {
  const step = (DAY / POINTS) * 1000;
  const line = (about, value) => {
    const values = Array.from({ length: POINTS }, (_, at) => Number(value((at * DAY) / POINTS).toPrecision(4)));
    return { simulated: false, index: 0, type: "", tally: {}, ...about, values };
  };
  const lines = Object.values(OF_TASKS).map(([metric, rate]) =>
    line({ metric }, (second) => (rate || 1e9) * (1 + load(1, second))),
  );
  for (const [at, device] of devices.entries())
    for (const [metric, value] of Object.values(OF_DEVICES))
      lines.push(
        line({ metric, device, index: at, type: "Ascend910B", simulated: true }, (second) => value(load(at, second))),
      );
  return { from: from * 1000, step, cpuSeconds: DAY, lines };
}

const sql = (data, statement) =>
  execFileSync("psql", ["-qtA", "-d", database(data), "-c", statement], { stdio: "pipe" });

async function timed(site, path, times) {
  const headers = { "accept-encoding": "gzip" };
  const took = [];
  let sent = 0;
  for (let n = -3; n < times; n++) {
    const began = clock();
    const { status, body } = await site.get(path, headers);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${body}`);
    if (n >= 0) took.push(clock() - began);
    sent = body.length;
  }
  const plain = (await site.get(path)).body;
  return { took, sent, plain: plain.length, series: JSON.parse(plain) };
}

export async function measureCharts({ times }) {
  const folder = join(scratch, "day");
  const port = await freePort();
  const prometheus = `http://127.0.0.1:${port}`;
  const flags = ["--simulate-devices", "8xAscend910B", "--prometheus", prometheus];
  const site = await gateway("charts", { flags });
  const visitor = await session(site.address);
  await site.submit(job("day", "sleep 3600", { cpu: 0 }).replace("gpu: 0", "gpu: 8"));
  const told = async (pattern, count) => {
    for (;;) {
      const found = (await site.get("/metrics")).body.toString().match(pattern) ?? [];
      if (found.length >= count) return found;
      await pause(200);
    }
  };
  const labels = (await told(/(?<=^accelerator_assignment)\{.*\}/gm, 8)).filter((one) => one.includes("admin~day"));
  const [task] = await told(/(?<=^sluice_task_memory_bytes)\{.*\}/gm, 1);
  const devices = labels.map((one) => /device="([^"]*)"/.exec(one)[1]);
  const from = Math.floor(Date.now() / 1000) - DAY;
  backfill(labels, task, from, folder);
  const server = start("prometheus", [
    `--config.file=${empty()}`,
    `--storage.tsdb.path=${folder}`,
    "--storage.tsdb.retention.time=30d",
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  while (
    !(await fetch(`${prometheus}/-/ready`).then(
      (one) => one.ok,
      () => false,
    ))
  )
    await pause(100);
  const old = "job_id = (SELECT id FROM jobs WHERE name = 'day')";
  sql(site.data, `UPDATE tasks SET launched = to_timestamp(${from}) WHERE ${old}`);
  const path = "/api/v2/jobs/admin~day/series?attempt=0&role=worker&index=0&taskAttempt=0";
  const range = `&from=${from * 1000}&to=${(from + DAY) * 1000}`;
  const ours = await timed(visitor, `${path}${range}&source=prometheus`, times);
  if (ours.series.source !== "prometheus") throw new Error("Prometheus did not answer in time");
  await server.stop();
  await site.stopped("admin~day");
  // what is over is read from the database alone
  const day = JSON.stringify(written(devices, from)).replaceAll("'", "''");
  for (
    let tries = 0;
    !sql(site.data, `UPDATE task_summaries SET summary = '${day}' WHERE finished AND ${old} RETURNING 1`).length;
    tries++
  ) {
    if (tries > 100) throw new Error("the job's summary was never written");
    await pause(200);
  }
  sql(site.data, `UPDATE tasks SET completed = to_timestamp(${from + DAY}) WHERE ${old}`);
  const stored = await timed(visitor, `${path}${range}`, times);
  const { drawn, points } = await measureDrawing(site, times);
  visitor.close();
  await site.close();
  const lines = [stored, ours].map(
    ({ series }) => series.lines.filter((one) => one.values.some((value) => value !== null)).length,
  );
  if (lines.some((count) => count < 45)) throw new Error(`of 46 lines there are ${lines}`);
  return { stored, prometheus: ours, drawn, points };
}

function empty() {
  const file = join(scratch, "empty.yml");
  writeFileSync(file, "{}\n");
  return file;
}

/** On the job's page, as the page has measured it itself. */
async function measureDrawing(site, times) {
  const journeys = join(root, "webapp/journeys");
  if (!existsSync(join(journeys, "node_modules"))) await run("npm", ["ci", "--prefix", journeys, "--loglevel=error"]);
  process.env.SLUICE_URL = site.address;
  process.env.SLUICE_ADMIN_PASSWORD = PASSWORD;
  const { openBrowser, signedIn } = await import("../journeys/browser.mjs");
  const browser = await openBrowser();
  const drawn = [];
  let points = 0;
  try {
    const { page } = await signedIn(browser);
    for (let n = -2; n < times; n++) {
      const answered = page.waitForResponse((answer) => answer.url().includes("/series?"));
      await page.goto(`${site.address}/jobs/admin~day`);
      await page.locator("#panel-metrics").scrollIntoViewIfNeeded();
      const series = await (await answered).json();
      points = series.lines[0].values.length;
      await page.waitForFunction(() => performance.getEntriesByName("charts-drawn").length > 0);
      const charts = await page.locator("device-chart .chart").count();
      if (charts < 9) throw new Error(`there are ${charts} charts`);
      const took = await page.evaluate(() => performance.getEntriesByName("charts-drawn")[0].duration);
      if (n >= 0) drawn.push(took);
    }
  } finally {
    await browser.close();
  }
  return { drawn, points };
}

/** Milliseconds of each answer of the gateway's health, for as long as the work takes. */
async function healthDuring(site, work) {
  const waits = [];
  let over = false;
  const asking = (async () => {
    while (!over) {
      const began = clock();
      await site.get("/healthz");
      waits.push(clock() - began);
      await pause(5);
    }
  })();
  const result = await work();
  over = true;
  await asking;
  return { waits, result };
}

/** One gateway with 10,000 devices, of which jobs hold some: what it takes to place a job, to look at all, to show them. */
export async function measureDevices({ jobs, times }) {
  const site = await gateway("devices", { flags: ["--simulate-devices", "5000xH100,5000xAscend910B"] });
  const visitor = await session(site.address);
  const names = Array.from({ length: jobs }, (_, n) => `many-${n}`);
  const begins = [];
  for (const [n, name] of names.entries()) {
    const began = clock();
    const command = `date +%s%N >> /userhome/begun\nsleep 3600`;
    await site.submit(job(name, command, { cpu: 0 }).replace("gpu: 0", "gpu: 8"));
    const lines = await marks(site.data, "begun", n + 1);
    begins.push(Number(lines[n][0]) / 1e6 - began);
  }
  await pause(6_000); // a look at everything, with all of these in it
  const value = (text, name) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
  const before = (await site.get("/metrics")).body.toString();
  const gzip = { "accept-encoding": "gzip" };
  const { waits, result } = await healthDuring(site, async () => {
    const pages = { cluster: "/cluster", devices: "/api/v2/devices", metrics: "/metrics" };
    const found = {};
    for (const [name, path] of Object.entries(pages)) {
      found[name] = { took: [], bytes: 0 };
      for (let n = 0; n < times; n++) {
        const began = clock();
        const { status, body } = await visitor.get(path, gzip);
        if (status !== 200) throw new Error(`${path} answers ${status}`);
        found[name].took.push(clock() - began);
        found[name].bytes = body.length;
        if (name === "metrics") await pause(1_000); // within a second it would be the same answer
      }
    }
    return found;
  });
  const text = (await site.get("/metrics")).body.toString();
  const mean = (name) =>
    (1000 * (value(text, `${name}_sum`) - value(before, `${name}_sum`))) /
    (value(text, `${name}_count`) - value(before, `${name}_count`));
  const passes = (1000 * value(text, "sluice_jobs_pass_seconds_sum")) / value(text, "sluice_jobs_pass_seconds_count");
  for (const name of names) await site.stopped(`admin~${name}`);
  visitor.close();
  await site.close();
  return { begins, pages: result, passes, rounds: mean("sluice_telemetry_round_seconds"), loop: waits };
}
