// A million jobs that are over and ten thousand that wait, and one of 2,000 tasks: lists, passes, live pages.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { clock, database, gateway, job } from "./gateway.mjs";
import { percentile } from "./measure.mjs";
import { asked } from "./programs.mjs";
import { listen } from "./socket.mjs";
import { session } from "./visitor.mjs";

const OVER = 1_000_000;
const WAITING = 10_000;
const TASKS = 2_000;
const PER_SECOND = 50;
const CHANGES_PER_SECOND = 200;
const SHOWN = /(?:late|waiting)-\d+/g;

const COMMON = "virtual_cluster, priority, preemptible, demand, tasks, roles, devices, retry_count";
const SEED = [
  // what a busy site leaves behind: a thousand users, one in ten failed, one in twenty stopped
  `INSERT INTO jobs (user_id, user_name, name, ${COMMON}, state, shown, submitted, created, launched, completed, exit_code) SELECT 10 + n % 1000, 'user' || n % 1000, 'job-' || n, ${COMMON}, 'finalised', CASE WHEN n % 10 = 0 THEN 'FAILED' WHEN n % 20 = 1 THEN 'STOPPED' ELSE 'SUCCEEDED' END, at, at, at, at + interval '1 hour', 0 FROM jobs, generate_series(1, ${OVER}) n, LATERAL (SELECT now() - interval '1 day' - (${OVER} - n) * interval '30 s' AS at) times WHERE name = 'waiting'`,
  `INSERT INTO jobs (user_id, user_name, name, ${COMMON}, state, shown) SELECT user_id, user_name, 'waiting-' || n, ${COMMON}, 'queued', 'WAITING' FROM jobs, generate_series(1, ${WAITING}) n WHERE name = 'waiting'`,
  "INSERT INTO job_specs (job_id, spec, config) SELECT w.id, s.spec, s.config FROM jobs w, jobs j JOIN job_specs s ON s.job_id = j.id WHERE j.name = 'waiting' AND w.name LIKE 'waiting-%'",
  "UPDATE jobs SET state = 'finalised', shown = 'SUCCEEDED', created = now(), launched = now(), completed = now(), exit_code = 0, waiting = NULL WHERE name = 'large'",
  "INSERT INTO job_attempts (job_id, attempt, launched, completed, exit_code) SELECT id, 0, now(), now(), 0 FROM jobs WHERE name = 'large'",
  `INSERT INTO tasks (job_id, attempt, role_number, role, task_index, state, run_name, node, address, devices, ports, cpus, memory_mb, launched, completed, exit_code, cause) SELECT id, 0, 0, 'worker', n, 'exited', 'large-' || n, 'node-' || n % 250, '10.0.0.1', '{}', '{}', 1, 64, now(), now(), 0, '{"code":0}' FROM jobs, generate_series(0, ${TASKS - 1}) n WHERE name = 'large'`,
  `INSERT INTO job_events (job_id, attempt, role, task_index, reason, message) SELECT id, 0, 'worker', n, 'Started', 'Started on node-' || n % 250 FROM jobs, generate_series(0, ${TASKS - 1}) n WHERE name = 'large'`,
  "VACUUM ANALYZE",
];

/** While nobody serves: PostgreSQL's single-user mode needs no other program. */
function seed(data) {
  const home = readdirSync(data).find((name) => existsSync(join(data, name, "bin/postgres")));
  const asRoot = process.getuid() === 0 ? ["unshare", "-U"] : [];
  const command = [...asRoot, join(data, home, "bin/postgres"), "--single", "-D", join(data, "postgres"), "postgres"];
  execFileSync(command[0], command.slice(1), { input: `${SEED.join(";\n")};\n`, stdio: ["pipe", "pipe", "pipe"] });
}

/** Milliseconds to the first bytes of the answer, of requests that leave when they are due. */
async function paced(get, path, seconds) {
  const waits = [];
  const answers = [];
  const began = clock();
  for (let n = 0; n < seconds * PER_SECOND; n++) {
    const due = began + (n * 1000) / PER_SECOND;
    await pause(Math.max(0, due - clock()));
    const sent = clock();
    answers.push(
      get(path).then(({ status, first }) => {
        if (status !== 200) throw new Error(`${path} answers ${status}`);
        waits.push(sent - due + first);
      }),
    );
  }
  await Promise.all(answers);
  return waits;
}

async function oneByOne(get, path, times) {
  const waits = [];
  for (let n = 0; n < times; n++) {
    const began = clock();
    const { status, body } = await get(path);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${body}`);
    waits.push(clock() - began);
  }
  return waits;
}

/** Jobs on the first page are stopped and started again by turns; how long until the open page is told. */
async function changesReachThePage(sluice, visitor, seconds) {
  const page = (await visitor.get("/jobs?user=admin")).body.toString();
  const feed = /src="(\/live\/jobs[^"]*)"/.exec(page)?.[1].replaceAll("&amp;", "&");
  if (!feed) return null;
  const names = [...new Set(page.match(SHOWN))];
  if (names.length < 20) throw new Error(`the page of jobs shows only ${names.length} of those that wait`);
  const open = new Map();
  const waits = [];
  const socket = await listen(sluice.address, feed, {
    headers: { cookie: visitor.cookie },
    protocol: "sluice.live.v1",
    told: (text) => {
      const now = clock();
      for (const [name] of new Map([...text.matchAll(SHOWN)])) {
        if (open.has(name)) waits.push(now - open.get(name));
        open.delete(name);
      }
    },
  });
  await pause(1000);
  const began = clock();
  const answers = [];
  const count = seconds * CHANGES_PER_SECOND;
  for (let n = 0; n < count; n++) {
    await pause(Math.max(0, began + (n * 1000) / CHANGES_PER_SECOND - clock()));
    const name = names[n % names.length];
    const stopped = Math.floor(n / names.length) % 2;
    if (!open.has(name)) open.set(name, clock());
    answers.push(stopped ? sluice.restart(`admin~${name}`) : sluice.stop(`admin~${name}`));
  }
  await Promise.all(answers);
  const took = clock() - began;
  await pause(1000);
  socket.close();
  if (open.size) throw new Error(`${open.size} changes never reached the page`);
  return { waits, perSecond: (count / took) * 1000, told: waits.length };
}

/** Of the passes since a look before, their number, mean and how many took longer than 50 ms. */
async function passes(sluice, work) {
  const look = async () => {
    const text = (await sluice.get("/metrics")).body.toString();
    const value = (name) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)[1]);
    const part = "sluice_jobs_pass_seconds";
    return [value(`${part}_count`), value(`${part}_sum`), value(`${part}_bucket{le="0.05",}`)];
  };
  const before = await look();
  await work();
  const [count, sum, quick] = (await look()).map((now, part) => now - before[part]);
  return { count, mean: (sum / count) * 1000, within: quick / count };
}

export async function measureMany({ rounds, seconds }) {
  const first = await gateway("many");
  await first.submit(job("holder", "sleep 3600", { cpu: cpus().length }));
  await first.submit(job("waiting", "true", { cpu: cpus().length }));
  await first.submit(job("large", "true", { instances: TASKS, cpu: 1, memoryMB: 64 }));
  await pause(1000);
  await first.close();
  seed(first.data);
  const sluice = await gateway("many");
  const visitor = await session(sluice.address);
  const store = asked("io.sluice.jobs.StoreBench", database(sluice.data));
  // a program that runs is warm: what Java has not compiled yet takes twice as long
  for (let warm = 0; warm < 12; warm++) await store.ask(warm % 2 ? "list" : "list user7");
  const results = { query: [], one: [], api: [], page: [] };
  await paced(visitor.get, "/jobs", 5);
  await paced(sluice.get, "/api/v2/jobs?limit=50", 5);
  for (let round = 0; round < rounds; round++) {
    const { page, one } = JSON.parse(await store.ask(round % 2 ? "list" : "list user7"));
    results.query.push(page / 1000);
    results.one.push(one / 1000);
    results.api.push(percentile(await paced(sluice.get, "/api/v2/jobs?limit=50", seconds), 0.99));
    results.page.push(percentile(await paced(visitor.get, "/jobs", seconds), 0.99));
  }
  await store.close();
  const waiting = Number(/^sluice_jobs_waiting (\S+)/m.exec((await sluice.get("/metrics")).body.toString())[1]);
  if (waiting < WAITING) throw new Error(`only ${waiting} jobs wait`);
  results.passes = await passes(sluice, async () => {
    for (let n = 0; n < 60; n++) {
      await sluice.submit(job(`late-${n}`, "true", { cpu: cpus().length }));
      await pause(100);
    }
  });
  results.live = await changesReachThePage(sluice, visitor, 2 * seconds);
  const large = "admin~large";
  results.largeApi = await oneByOne(sluice.get, `/api/v2/jobs/${large}`, 40);
  results.largePage = await oneByOne(visitor.get, `/jobs/${large}`, 40).catch(() => null);
  await sluice.stopped("admin~holder");
  visitor.close();
  await sluice.close();
  return results;
}
