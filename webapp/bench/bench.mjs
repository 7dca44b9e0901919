// `./sluice bench [NAME...]`: measures the figures that the project promises and writes them into docs/figures.md.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, hostname, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { measureCharts, measureDevices } from "./devices.mjs";
import { measureDocker, withoutDocker } from "./docker.mjs";
import { measureExposition, measureRound, measureScrapes } from "./exposition.mjs";
import { measureFiles, withoutFilePeers } from "./files.mjs";
import { measureIdle } from "./idle.mjs";
import { measureLab, withoutLab } from "./lab.mjs";
import { fanOut, ingest, memory, nchan, search, slowed, withoutNchan, withoutWs, ws } from "./logs.mjs";
import { measureMany } from "./many.mjs";
import {
  freePort,
  interleaved,
  javaHome,
  PASSWORD,
  percentile,
  putAway,
  root,
  scratch,
  summary,
  timeToAnswer,
} from "./measure.mjs";
import { precedence, withoutPeers } from "./peers.mjs";
import { measurePeople } from "./people.mjs";
import { printed } from "./programs.mjs";
import { measureIdleSockets, measureProxy, measureSockets, NEEDED } from "./proxy.mjs";
import { withoutSlurm } from "./slurm.mjs";
import { measureStart } from "./start.mjs";
import { measureGang, measureStore, withoutPgbench } from "./store.mjs";
import { measureBeginnings, measureSubmissions } from "./submit.mjs";
import { measureViewer, withoutChromium } from "./viewer.mjs";
import { session } from "./visitor.mjs";
import { measureWeight } from "./weight.mjs";

const results = join(root, "webapp/target/figures.json");
const page = join(root, "docs/figures.md");
const REMARKS = "## What does not reach its goal, or did not";
const checked = join(root, "webapp/target/check.json");
const [PAGES, UNIT, WHOLE] = ["Lighthouse, the lowest of all pages", "unit suite", "all of `./sluice test`"];
const say = (text) => console.error(`bench: ${text}`);

const range = (values, digits = 0) => {
  const { median, low, high } = summary(values);
  return `${median.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;
};
const median = (values) => summary(values).median;
const figure = (name, goal, measured, reached) => ({ name, goal, measured, reached });

async function start() {
  const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 9);
  const ms = await measureStart(rounds);
  const part = median(ms.cached) / median(ms.plain);
  const whole = median(ms.up) / (median(ms.hello) + median(ms.postgres));
  return [
    figure(
      "warm start, the JVM's part: with the cache / the same jar launched plainly",
      "≤ 0.6",
      `**${part.toFixed(2)}**: ${range(ms.cached)} / ${range(ms.plain)} ms, ${rounds} rounds`,
      part <= 0.6,
    ),
    figure(
      "warm start, all of `./sluice up` / (bare Vert.x hello with AppCDS + restart of PostgreSQL alone)",
      "≤ 1.5",
      `**${whole.toFixed(2)}**: ${range(ms.up)} / (${range(ms.hello)} + ${range(ms.postgres)}) ms, ${rounds} rounds`,
      whole <= 1.5,
    ),
  ];
}

async function idle() {
  const { fresh, used } = await measureIdle(3);
  return [
    figure(
      "memory of the idle JVM (RSS), 15 s after the start",
      "≤ 160 MiB",
      `**${range(fresh)}** MiB, 3 starts`,
      median(fresh) <= 160,
    ),
    figure("the same 15 s after 140 pages", "≤ 160 MiB", `**${range(used)}** MiB, 3 starts`, median(used) <= 160),
  ];
}

async function people() {
  const { p99, p50, bytes } = await measurePeople({ rounds: 5, seconds: 20 });
  return [
    figure(
      "people page with 10,000 users at 100 requests/s: first HTML, 99th percentile",
      "≤ 10 ms",
      `**${range(p99, 1)}** ms (median ${range(p50, 1)} ms; ${(bytes / 1024).toFixed(0)} KB of HTML), 5 × 20 s`,
      median(p99) <= 10,
    ),
  ];
}

async function weight() {
  const port = await freePort();
  const args = ["up", "--port", String(port), "--data", join(scratch, "weight")];
  const env = { SLUICE_ADMIN_PASSWORD: PASSWORD };
  const { child } = await timeToAnswer(join(root, "sluice"), args, { port, path: "/readyz", env });
  const visitor = await session(`http://127.0.0.1:${port}`);
  const weights = await measureWeight(`http://127.0.0.1:${port}`, visitor);
  visitor.close();
  await child.stop();
  const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
  return Object.entries(weights).map(([page, { script, style }]) =>
    figure(
      `${page}: JavaScript, CSS (Brotli)`,
      "≤ 60 KB, ≤ 20 KB",
      `**${kilobytes(script)} KB, ${kilobytes(style)} KB**`,
      script <= 60_000 && style <= 20_000,
    ),
  );
}

/** Round by round, so that what the machine did meanwhile met both. */
const ratios = (ours, peers) => ours.map((value, round) => value / peers[round]);

/** A figure whose peer is not here; the last one that was measured stays in the table. */
const skipped = (why) => {
  say(`skipped: ${why}`);
  return null;
};

async function store() {
  const missing = withoutPgbench();
  if (missing) return skipped(missing);
  const rounds = 7;
  const { store: ours, pgbench } = await measureStore(rounds);
  const ratio = ratios(ours, pgbench);
  return [
    figure(
      "a submission to the store alone, 16 connections / the same statement by `pgbench -c 16` on the same PostgreSQL",
      "≥ 0.9",
      `**${range(ratio, 2)}**: ${range(ours)} / ${range(pgbench)} per second, ${rounds} rounds`,
      median(ratio) >= 0.9,
    ),
  ];
}

async function exposition() {
  const rounds = 15;
  const { series, time, memory } = await measureExposition(rounds);
  const byHand = ratios(time.ours, time.builder);
  const byLibrary = ratios(time.ours, time.simpleclient);
  return [
    figure(
      `10,000 devices, ${series.toLocaleString("en")} series, formatted / by a StringBuilder`,
      "≤ 1",
      `**${range(byHand, 2)}**: ${range(time.ours, 1)} / ${range(time.builder, 1)} ms, ${rounds} rounds`,
      median(byHand) <= 1,
    ),
    figure(
      "the same / by simpleclient's own writer",
      "≤ 0.1",
      `**${range(byLibrary, 3)}**: ${range(time.ours, 1)} / ${range(time.simpleclient, 1)} ms; gzip with it ${range(time.gzip, 0)} ms`,
      median(byLibrary) <= 0.1,
    ),
    figure("allocated for it", "≤ 10 MB", `**${range(memory.ours, 1)}** MB`, median(memory.ours) <= 10),
    figure(
      "allocated for all that is told of 10,000 devices and 1,250 tasks, OpenPAI's names and processes among it",
      "≤ 10 MB",
      `**${range(memory.whole, 1)}** MB, ${range(time.whole, 1)} ms`,
      median(memory.whole) <= 10,
    ),
  ];
}

async function scrape() {
  const millis = measureRound();
  const { took, worked, late, samples } = await measureScrapes();
  const ratio = median(took.ours) / median(took.simpleclient);
  return [
    figure(
      "a round of asking for 8 devices: processor besides the tool itself",
      "≤ 5 ms",
      `**${millis.toFixed(1)}** ms, 200 rounds`,
      millis <= 5,
    ),
    figure(
      `scrape_duration of a real Prometheus, ${samples.toLocaleString("en")} samples of 10,000 devices: ours / simpleclient's writer`,
      "≤ 0.7",
      `**${ratio.toFixed(2)}**: ${range(took.ours, 0)} / ${range(took.simpleclient, 0)} ms, ${took.ours.length} scrapes each`,
      ratio <= 0.7,
    ),
    figure(
      "the longest piece of work of the event loop meanwhile, ours and theirs sent by it",
      "≤ 50 ms",
      `**${worked.toFixed(0)}** ms of processor (it was late by ${late.toFixed(0)} ms at most, whoever had the processor)`,
      worked <= 50,
    ),
  ];
}

async function charts() {
  const missing = withoutChromium();
  if (missing) return skipped(missing);
  const { stored, prometheus, drawn, points } = await measureCharts({ times: 30 });
  const figures = Object.entries({ "from the database": stored, "from a real Prometheus": prometheus });
  return [
    ...figures.map(([from, { took, sent, plain }]) =>
      figure(
        `charts of a job of 8 devices and 24 hours, ${from}: data`,
        "≤ 100 ms, ≤ 200 KB",
        `**${range(took, 0)}** ms, **${(sent / 1000).toFixed(0)} KB** (${(plain / 1000).toFixed(0)} KB unpacked), ${took.length} times`,
        median(took) <= 100 && sent <= 200_000,
      ),
    ),
    figure(
      "the same drawn in Chromium: from the data until they are painted",
      "≤ 50 ms",
      `**${range(drawn, 0)}** ms, ${points} points a line, ${drawn.length} times`,
      median(drawn) <= 50,
    ),
  ];
}

async function devices() {
  const { begins, pages, passes, rounds, loop } = await measureDevices({ jobs: 8, times: 15 });
  const row = ({ took, bytes }) => `${range(took, 0)} ms (${(bytes / 1000).toFixed(0)} KB)`;
  return [
    figure(
      "10,000 devices: from submitting a job of 8 of them to its first instruction",
      "–",
      `**${range(begins, 0)}** ms, ${begins.length} jobs; a pass takes ${passes.toFixed(1)} ms, a look at all devices ${rounds.toFixed(0)} ms`,
      true,
    ),
    figure(
      "10,000 devices: cluster page, list of devices, `/metrics`, 99 in 100 of `/healthz` meanwhile",
      "≤ 100 ms for the page, ≤ 100 ms for health",
      `**${row(pages.cluster)}**, ${row(pages.devices)}, ${row(pages.metrics)}, **${percentile(loop, 0.99).toFixed(0)}** ms (the worst ${Math.max(...loop).toFixed(0)})`,
      median(pages.cluster.took) <= 100 && percentile(loop, 0.99) <= 100,
    ),
  ];
}

async function submit() {
  const missing = withoutSlurm();
  if (missing) return skipped(missing);
  const { sluice, slurm } = await measureSubmissions({ rounds: 7, jobs: 3000, warm: 12 });
  const ratio = ratios(sluice, slurm);
  return [
    figure(
      "submissions over HTTP, signed in and durable, 64 clients / `sbatch --hold`, four at a time",
      "≥ 10",
      `**${range(ratio, 1)}**: ${range(sluice)} / ${range(slurm)} per second, 7 rounds`,
      median(ratio) >= 10,
    ),
  ];
}

async function begin() {
  const missing = withoutSlurm();
  if (missing) return skipped(missing);
  const { alone, sluice, slurm } = await measureBeginnings({ alone: 50, bursts: 5 });
  const ratio = ratios(sluice, slurm);
  return [
    figure(
      "from submitting a job to its first instruction, process engine, one at a time: median",
      "≤ 50 ms",
      `**${range(alone)}** ms, ${alone.length} jobs`,
      median(alone) <= 50,
    ),
    figure(
      "the same in a burst of 200 by four clients, with room for all / by `sbatch`: median of the burst",
      "≤ 0.2",
      `**${range(ratio, 2)}**: ${range(sluice)} / ${range(slurm)} ms, 5 bursts`,
      median(ratio) <= 0.2,
    ),
  ];
}

const SITE = "1,000,000 jobs that are over and 10,000 that wait";

async function many() {
  const { query, one, api, page, passes, live, largeApi, largePage } = await measureMany({ rounds: 6, seconds: 4 });
  const ratio = ratios(query, one);
  const figures = [
    figure(
      `${SITE}: a page of the list, 50 jobs from any place / \`SELECT 1\`, one at a time`,
      "≤ 2",
      `**${range(ratio, 2)}**: ${range(query, 2)} / ${range(one, 2)} ms, 6 rounds of 400`,
      median(ratio) <= 2,
    ),
    figure(
      "the list page at 50 requests/s: first HTML, 99th percentile",
      "≤ 20 ms",
      `**${range(page, 1)}** ms, 6 × 4 s (the API's list: ${range(api, 1)} ms)`,
      median(page) <= 20,
    ),
    figure(
      "a scheduling pass, from the tables to the decisions",
      "≤ 50 ms",
      `**${passes.mean.toFixed(1)}** ms on average of ${passes.count}; ${(passes.within * 100).toFixed(0)} % within 50 ms`,
      passes.mean <= 50 && passes.within >= 0.5,
    ),
    figure(
      `a job of 2,000 tasks: API answer${largePage ? ", job page" : ""}`,
      "≤ 100 ms",
      `**${range(largeApi)}** ms${largePage ? `, **${range(largePage)}** ms` : ""}, 40 times`,
      median(largeApi) <= 100 && (!largePage || median(largePage) <= 100),
    ),
  ];
  if (live)
    figures.push(
      figure(
        "200 state changes/s reach an open page of jobs: 99th percentile, from the request to the frame",
        "≤ 250 ms",
        `**${percentile(live.waits, 0.99).toFixed(0)}** ms (median ${percentile(live.waits, 0.5).toFixed(0)} ms), at ${live.perSecond.toFixed(0)} changes/s`,
        percentile(live.waits, 0.99) <= 250 && live.perSecond >= 190,
      ),
    );
  return figures;
}

async function files() {
  const missing = withoutFilePeers();
  if (missing) return skipped(missing);
  const { up, put, down, get, most, grown, idle, busy, first, packed } = await measureFiles({ rounds: 3, lists: 15 });
  const waits = ({ waits }) => `${percentile(waits, 0.99).toFixed(0)}, ${Math.max(...waits).toFixed(0)} ms`;
  const [upRatio, downRatio, zipRatio] = [ratios(up, put), ratios(down, get), ratios(packed.zip, packed.ours)];
  const against = (ratio, ours, theirs) =>
    `**${range(ratio, 2)}**: ${range(ours, 2)} / ${range(theirs, 2)} GB/s, ${ratio.length} rounds`;
  return [
    figure(
      "a file of 4 GiB goes up by tus with `curl`, on the disk when it is told / PUT to nginx, which does not wait for the disk",
      "≥ 0.8",
      against(upRatio, up, put),
      median(upRatio) >= 0.8,
    ),
    figure("it comes down / from nginx", "≥ 0.8", against(downRatio, down, get), median(downRatio) >= 0.8),
    figure("what the heap has grown by after these", "< 64 MiB", `**${grown.toFixed(0)}** MiB`, grown < 64),
    figure(
      "what is left of the heap after any collection while they run: more than before, at most",
      "< 64 MiB",
      `**${most.toFixed(0)}** MiB`,
      most < 64,
    ),
    figure(
      "what buffers beside the heap take more while one goes up and comes down, at most",
      "< 64 MiB",
      `**${busy.beside.toFixed(0)}** MiB, looked at every half second`,
      busy.beside < 64,
    ),
    figure(
      "the event loops meanwhile: Vert.x' warnings; `/healthz` every 20 ms on 16 lines, 99th percentile and longest",
      "0; ≤ 200 ms",
      `**${busy.warnings}; ${waits(busy)}**, ${busy.waits.length} times (nothing going on: ${waits(idle)}; longest collection ${busy.pause.toFixed(0)} ms)`,
      busy.warnings === 0 && Math.max(...busy.waits) <= 200,
    ),
    figure(
      "a folder of 100,000 files: the first 200 rows",
      "≤ 100 ms",
      `**${range(first)}** ms, ${first.length} times`,
      median(first) <= 100,
    ),
    figure(
      "10,000 files of 4 KiB come as a zip / `zip -0` on the same tree: files per second",
      "≥ 0.8",
      `**${range(zipRatio, 2)}**: ${range(packed.ours, 2)} / ${range(packed.zip, 2)} s, ${zipRatio.length} rounds`,
      median(zipRatio) >= 0.8,
    ),
  ];
}

async function viewer() {
  const missing = withoutChromium();
  if (missing) return skipped(missing);
  const { first, opened, jumped, frames, rows, rate } = await measureViewer({ opens: 15, jumps: 60, seconds: 20 });
  const longest = Math.max(...frames);
  return [
    figure(
      "a page with a log of 1 GiB, from the navigation until its last lines are painted (Chromium)",
      "≤ 300 ms",
      `**${range(opened)}** ms, ${opened.length} times (the first, which loads the viewer: ${first.toFixed(0)} ms)`,
      median(opened) <= 300,
    ),
    figure(
      "a jump to any place in it, from pressing until the lines there are painted: the median, the worst",
      "≤ 100 ms, ≤ 100 ms",
      `**${range(jumped)}** ms, ${jumped.length} places`,
      Math.max(...jumped) <= 100,
    ),
    figure(
      "following 100,000 lines/s: the longest frame, the rows in the page",
      "≤ 50 ms, ≤ 300",
      `**${longest.toFixed(0)}** ms (median ${percentile(frames, 0.5).toFixed(0)}, 99th percentile ${percentile(frames, 0.99).toFixed(0)}) of ${frames.length} frames at ${Math.round(rate / 1000)},000 lines/s, **${rows}** rows`,
      longest <= 50 && rows <= 300 && rate >= 90_000,
    ),
  ];
}

async function placement() {
  const lines = printed("io.sluice.jobs.placement.PlacementBench", "31");
  return lines.map((line) => {
    const [, name, middle, processor, worst, allowed] =
      /^(.*?)\s+median\s+([\d.]+) ms \(processor\s+([\d.]+)\), worst\s+([\d.]+), allowed (\d+)/.exec(line);
    const measured = `**${middle}** ms, worst ${worst} (of it processor ${processor}), 31 times`;
    return figure(`placement: ${name}`, `≤ ${allowed} ms`, measured, Number(middle) <= Number(allowed));
  });
}

async function gang() {
  const together = await measureGang();
  const parts = printed("io.sluice.jobs.gang.GangBench").map((line) => {
    const [, name, middle, worst, allowed] = /^(.*?)\s+median\s+([\d.]+) ms, worst\s+([\d.]+), allowed (\d+)/.exec(
      line,
    );
    return figure(
      `${name}`,
      `≤ ${allowed} ms`,
      `**${middle}** ms, worst ${worst}, 15 times`,
      Number(middle) <= Number(allowed),
    );
  });
  return [
    figure(
      "512 tasks on 64 nodes that do not exist, from the last place to the instant at which all may go on",
      "≤ 2 s",
      `**${(median(together) / 1000).toFixed(2)}** s, worst ${(Math.max(...together) / 1000).toFixed(2)}, ${together.length} jobs`,
      median(together) <= 2000,
    ),
    ...parts,
  ];
}

async function fragmentation() {
  const of = {};
  for (const line of printed("io.sluice.jobs.placement.FragmentationBench")) {
    const [, type, way, part] = /^(\S+)\s+(\S+)\s+fragmentation\s+([\d.]+)/.exec(line);
    of[type] = { ...of[type], [way]: Number(part) };
  }
  return Object.entries(of).map(([type, { OURS, BEST_FIT, FIRST_FIT, PACKED }]) =>
    figure(
      `free devices that no usual job could use, 10,000 random jobs on ${type}: ours / best fit`,
      "≤ 1",
      `**${(OURS / BEST_FIT).toFixed(2)}**: ${OURS} / ${BEST_FIT} % (first fit ${FIRST_FIT}, moving all ${PACKED})`,
      OURS <= BEST_FIT,
    ),
  );
}

/** One log of 1,000 lines a second and so many followers, ours and others in turn. */
async function fan(count) {
  const missing = withoutNchan() ?? withoutWs();
  if (missing) return skipped(missing);
  const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 3);
  const all = await interleaved(rounds, {
    ours: () => fanOut(count, 1000, 6),
    nchan: () => nchan(count, 1000, 6),
    ws: () => ws(count, 1000, 6),
  });
  const of = (who, what) => all[who].map((one) => one[what]);
  const late = (who) => `${range(of(who, "p50"), 1)}, ${range(of(who, "p99"), 1)}`;
  const cores = ratios(of("ours", "cores"), of("nchan", "cores"));
  const waits = ratios(of("ours", "p99"), of("nchan", "p99"));
  const node = ratios(of("ours", "cores"), of("ws", "cores"));
  const delivered = Math.min(...of("ours", "delivered"));
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  const torn = sum(of("ours", "torn"));
  const name = (what) => `${count} followers of a log of 1,000 lines/s: ${what}`;
  const figures = [
    figure(
      name("processor, gateway / nginx with nchan"),
      count > 1000 ? "≤ 1.1" : "≤ 1.3",
      `**${range(cores, 2)}**: ${range(of("ours", "cores"), 2)} / ${range(of("nchan", "cores"), 2)} cores, ${rounds} rounds of 6 s`,
      median(cores) <= (count > 1000 ? 1.1 : 1.3),
    ),
    figure(
      name("processor, gateway / Node.js with ws"),
      "< 1",
      `**${range(node, 2)}**: ${range(of("ours", "cores"), 2)} / ${range(of("ws", "cores"), 2)} cores`,
      median(node) < 1,
    ),
    figure(
      name("from printing to the socket, median and 99th percentile"),
      count === 1000 ? "≤ 20 ms, ≤ 100 ms" : "≤ 100 ms at the 99th",
      `**${late("ours")}** ms (nchan ${late("nchan")}, ws ${late("ws")}); of 50 of them, ${sum(of("ours", "lines")).toLocaleString("en")} lines; ${(100 * delivered).toFixed(1)} % of the log's bytes delivered, ${torn || "no"} line or frame out of its turn`,
      torn === 0 &&
        (count !== 1000 || median(of("ours", "p50")) <= 20) &&
        median(of("ours", "p99")) <= 100 &&
        delivered > 0.99,
    ),
  ];
  if (count > 1000)
    figures.push(
      figure(
        name("99th percentile, gateway / nginx with nchan"),
        "≤ 1.2",
        `**${range(waits, 2)}**`,
        median(waits) <= 1.2,
      ),
    );
  return figures;
}

async function flood() {
  const one = await ingest(1, 60, 8);
  const twenty = await ingest(20, 6, 8);
  const { alone, followed } = await slowed(600, 4);
  const ratio = ratios(followed, alone);
  return [
    figure(
      "one job printing 60 MB/s, with a follower: processor of the gateway",
      "≥ 50 MB/s, ≤ 1 core",
      `${one.stored.toFixed(0)} MB/s stored, ${one.followed.toFixed(0)} MB/s followed, **${one.cores.toFixed(2)}** cores`,
      one.stored >= 50 && one.followed >= 50 && one.cores <= 1,
    ),
    figure(
      "20 jobs printing 6 MB/s each, each with a follower",
      "≥ 100 MB/s",
      `**${twenty.stored.toFixed(0)}** MB/s stored, ${twenty.followed.toFixed(0)} MB/s followed, ${twenty.cores.toFixed(2)} cores`,
      twenty.stored >= 100 && twenty.followed >= 100,
    ),
    figure(
      "time that a job takes to print 600 MB as fast as it can: with a follower / with nobody",
      "≤ 1.1",
      `**${range(ratio, 2)}**: ${range(followed)} / ${range(alone)} ms, ${alone.length} rounds`,
      median(ratio) <= 1.1,
    ),
  ];
}

async function logs() {
  const { idle, full, beside } = await memory(1000);
  const { ours, grep } = await search(5);
  const ratio = ratios(ours, grep);
  return [
    figure(
      "heap per idle follower; heap and memory beside it per one who reads nothing of a log that grows",
      "≤ 20 KiB, ≤ 256 KiB",
      `**${idle.toFixed(1)} KiB; ${full.toFixed(1)} + ${beside.toFixed(1)} KiB** (1,000 and 200 of them)`,
      idle <= 20 && full + beside <= 256,
    ),
    figure(
      "search of 1 GB of a training's output for a text that is not there, in what is seen (`plain=1`), over HTTP / `grep -c`",
      "≥ 500 MB/s, ≥ 0.3",
      `**${range(ours)}** MB/s, **${range(ratio, 2)}** of grep's ${range(grep)}, 5 rounds`,
      median(ours) >= 500 && median(ratio) >= 0.3,
    ),
  ];
}

async function* docker() {
  const missing = withoutDocker();
  if (missing) return skipped(missing);
  const burst = Number(process.env.SLUICE_BENCH_BURST ?? 50);
  const jobs = Number(process.env.SLUICE_BENCH_JOBS ?? 1000);
  const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 15);
  const bursts = Number(process.env.SLUICE_BENCH_BURSTS ?? 5);
  const size = { rounds, bursts, burst, running: burst, jobs };
  for await (const [what, measured] of measureDocker(size)) yield CONTAINERS[what](measured, size);
}

/** The row of each part, as soon as that is measured: the last one takes minutes. */
const CONTAINERS = {
  alone({ ours, theirs, apart }, size) {
    const ratio = ratios(ours, theirs);
    return figure(
      "from submitting a job to its first instruction in a container / `docker run` of the same image",
      "≤ 1.15",
      `**${range(ratio, 2)}**: ${range(ours)} / ${range(theirs)} ms, ${size.rounds} rounds (\`docker run\` in a network of its own, which is there already: ${range(apart)} ms, that is ${range(ratios(ours, apart), 2)})`,
      median(ratio) <= 1.15,
    );
  },
  bursts({ ours, peers, shared }, size) {
    const ratio = ratios(ours, peers);
    return figure(
      `${size.burst} jobs at once until the last one’s first instruction / \`docker network create\` and \`docker run\` ${size.burst} times at once`,
      "≤ 1.15",
      `**${range(ratio, 2)}**: ${range(ours)} / ${range(peers)} ms, ${size.bursts} bursts (all in one network, and so not apart from one another: ${range(shared)} ms)`,
      median(ratio) <= 1.15,
    );
  },
  running({ heap, outside }, size) {
    return figure(
      "memory of the gateway for each running container: heap after a collection; memory beside the heap (RSS)",
      "≤ 100 KiB",
      `**${heap.toFixed(1)} + ${outside.toFixed(1)}** KiB, ${size.running} containers, after as many that had run before`,
      heap + outside <= 100,
    );
  },
  left({ containers, networks, volumes, threads, files, records, again }, size) {
    const rest = `${containers} containers, ${networks} networks, ${volumes} volumes, ${threads.length} threads${threads.length ? ` (${threads.join(", ")})` : ""}, ${files} sockets and files, ${records} records`;
    return figure(
      `${size.jobs} jobs in containers leave behind`,
      "nothing",
      `**${rest}**${again ? ` (${again} submissions were sent again, as the gateway asked for)` : ""}`,
      containers + networks + volumes + records === 0 && threads.length <= 2 && files <= 5,
    );
  },
};

const of = (all, who, what) => all[who].map((one) => one[what]);

/** Ours by somebody's, round by round, with both. */
function beside(all, who, what, unit, digits = 0) {
  const ratio = ratios(of(all, "ours", what), of(all, who, what));
  return {
    ratio: median(ratio),
    text: `**${range(ratio, 2)}**: ${range(of(all, "ours", what), digits)} / ${range(of(all, who, what), digits)} ${unit}, ${ratio.length} rounds`,
  };
}

async function proxy() {
  const missing = withoutPeers();
  if (missing) return skipped(missing);
  const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 5);
  const { small, middle, large, lost } = await measureProxy({ rounds, seconds: 3, warm: 30 });
  const rate = (all, what, who, least) => {
    const { ratio, text } = beside(all, who, "rate", "requests/s");
    const others = Object.keys(all)
      .filter((name) => name !== "ours" && name !== who)
      .map((name) => `${name} ${median(of(all, name, "rate")).toFixed(0)}`);
    return figure(
      `${what}, a saturated core: gateway / ${who === "chp" ? "configurable-http-proxy" : who}`,
      `≥ ${least}`,
      `${text}${who === "nginx" ? ` (${others.join(", ")})` : ""}`,
      ratio >= least,
    );
  };
  const cost = beside(small, "nginx", "cpu", "µs", 1);
  const wait = beside(small, "nginx", "p99", "ms", 2);
  const flags = [middle, large].map((all) => beside(all, "plain", "rate", "requests/s"));
  return [
    rate(small, "1 KB through the road", "nginx", 0.85),
    rate(small, "1 KB through the road", "caddy", 1.5),
    rate(small, "1 KB through the road", "chp", 3),
    figure("1 KB through the road: processor for a request, gateway / nginx", "≤ 1.3", cost.text, cost.ratio <= 1.3),
    figure("1 KB through the road: 99th percentile, gateway / nginx", "≤ 1.5", wait.text, wait.ratio <= 1.5),
    rate(middle, "100 KB through the road", "nginx", 0.5),
    rate(large, "10 MB through the road", "nginx", 0.6),
    figure(
      "100 KB and 10 MB with the launcher's flags / with the JVM's own",
      "≥ 0.95, ≥ 0.95",
      flags.map(({ text }) => text).join("; "),
      flags.every(({ ratio }) => ratio >= 0.95),
    ),
    figure(
      "flags that large bodies need on JDK 24 and newer, with which the launcher's gateway ran",
      `all ${NEEDED.length}`,
      `**${NEEDED.length - lost.length}**${lost.length ? `, without ${lost.join(", ")}` : ""}`,
      lost.length === 0,
    ),
  ];
}

async function websockets() {
  const missing = withoutPeers();
  if (missing) return skipped(missing);
  const rounds = Number(process.env.SLUICE_BENCH_ROUNDS ?? 5);
  const { small, large } = await measureSockets({ rounds, seconds: 3, warm: 16 });
  const compared = (all, bytes, who, name, least) => {
    const { ratio, text } = beside(all, who, "rate", "messages/s");
    const others = { direct: "direct", nginx: "nginx", haproxy: "haproxy", chpSockets: "configurable-http-proxy" };
    const rest = Object.entries(others)
      .filter(([other]) => other !== who)
      .map(([other, called]) => `${called} ${median(of(all, other, "rate")).toFixed(0)}`);
    return figure(
      `WebSocket messages of ${bytes} through the road, a saturated core: gateway / ${name}`,
      `≥ ${least}`,
      `${text} (${rest.join(", ")})`,
      ratio >= least,
    );
  };
  const flags = beside(large, "plain", "rate", "messages/s");
  return [
    compared(small, "128 B", "nginx", "nginx", 0.9),
    compared(large, "16 KB", "chpSockets", "configurable-http-proxy", 1.4),
    figure(
      "WebSocket messages of 16 KB with the launcher's flags / with the JVM's own",
      "≥ 0.95",
      flags.text,
      flags.ratio >= 0.95,
    ),
  ];
}

async function idle5000() {
  const missing = withoutPeers();
  if (missing) return skipped(missing);
  const { each, before, after } = await measureIdleSockets(5000);
  return [
    figure(
      "5,000 open, silent WebSockets to an app: memory of the gateway (RSS) for each",
      "≤ 40 KiB",
      `**${each.toFixed(1)}** KiB (${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB with them)`,
      each <= 40,
    ),
  ];
}

async function lab() {
  const missing = withoutLab() ?? withoutChromium();
  if (missing) return skipped(missing);
  const { ours, direct } = await measureLab(9);
  const ratio = ratios(ours, direct);
  return [
    figure(
      "JupyterLab from the navigation to its launcher (Chromium, an empty cache): through the gateway / directly",
      "≤ 1.1",
      `**${range(ratio, 2)}**: ${range(ours)} / ${range(direct)} ms, ${ratio.length} rounds`,
      median(ratio) <= 1.1,
    ),
  ];
}

const MEASUREMENTS = {
  start,
  idle,
  people,
  weight,
  store,
  exposition,
  scrape,
  charts,
  devices,
  submit,
  begin,
  docker,
  many,
  placement,
  gang,
  fragmentation,
  logs,
  flood,
  fan500: () => fan(500),
  fan1000: () => fan(1000),
  fan2000: () => fan(2000),
  files,
  viewer,
  proxy,
  websockets,
  idle5000,
  lab,
};

function machine() {
  const { model } = cpus()[0];
  const java = /^JAVA_VERSION="?([^"\n]+)/m.exec(readFileSync(join(javaHome(), "release"), "utf8"))[1];
  return `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB; JDK ${java}, Node.js ${process.versions.node}`;
}

/** A machine with other work on it shows that work, unless the benchmark goes before it (`chrt -f 10`, or by its session where programs share a core). */
function circumstances() {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const way = fields[38] === "1" ? "chrt -f 10" : precedence() < 0 ? `autogroup ${precedence()}` : undefined;
  const before = way ? `, the benchmark going before it (\`${way}\`)` : "";
  return `load ${loadavg()[0].toFixed(0)}${before}`;
}

/** What the last `./sluice test` measured by the way; what it did not, as it was written before. */
function fromTheCheck() {
  const measured = existsSync(checked) ? JSON.parse(readFileSync(checked, "utf8")) : {};
  const seconds = (name, most) => (took) => figure(name, `≤ ${most} s`, `**${took.toFixed(0)}** s`, took <= most);
  const told = {
    lighthouse: (scores) => {
      const lowest = Object.entries(scores).map(([category, score]) => `${category} ${score}`);
      return figure(PAGES, "≥ 95 in all four", lowest.join(", "), Math.min(...Object.values(scores)) >= 95);
    },
    unit: seconds(UNIT, 40),
    whole: seconds(WHOLE, 600),
  };
  const before = written("test");
  return Object.entries({ lighthouse: PAGES, unit: UNIT, whole: WHOLE }).flatMap(([key, name]) => {
    const one = measured[key];
    return one
      ? [row(told[key](one.value), { date: one.date, around: one.around, command: "./sluice test" })]
      : before.filter((line) => line.startsWith(`| ${name} |`));
  });
}

const row = ({ name, goal, measured, reached }, { date, around = "", command }) =>
  `| ${name} | ${goal} | ${measured} | ${reached ? "yes" : "**no**"} | ${date}${around && `, ${around}`} | \`${command}\` |`;

/** What an earlier run wrote, on a clone that has not measured it itself. */
function written(name) {
  if (!existsSync(page)) return [];
  const lines = readFileSync(page, "utf8").split("\n");
  const command = name === "test" ? "./sluice test" : `./sluice bench ${name}`;
  return lines.filter((line) => line.endsWith(`| \`${command}\` |`));
}

/** What people have written below the table, which no measurement tells. */
function remarks() {
  const text = existsSync(page) ? readFileSync(page, "utf8") : "";
  const at = text.indexOf(REMARKS);
  return at < 0 ? "" : `\n${text.slice(at)}`;
}

function document(all) {
  const rows = Object.keys(MEASUREMENTS).flatMap((name) =>
    all[name]
      ? all[name].figures.map((one) => row(one, { ...all[name], ...one, command: `./sluice bench ${name}` }))
      : written(name),
  );
  const machines = [...new Set(Object.values(all).map((of) => of.machine))];
  return `# Figures

Measured by \`./sluice bench\`, which writes the table; nothing in it is typed by hand. Medians with [smallest–largest]; what is compared
runs in turn in the same minutes. Absolute numbers hold for the machine named below, ratios for others too.

Machine: ${machines.join("; ")}

| figure | goal | measured | reached | when | command |
|---|---|---|---|---|---|
${[...rows, ...fromTheCheck()].join("\n")}
${remarks()}`;
}

// Slurm's programs look up this machine's name, and stand still for seconds where nobody knows it
if (process.getuid() === 0 && hostname() !== "localhost" && !process.env.SLUICE_BENCH_INSIDE) {
  const again = [
    "--uts",
    "sh",
    "-c",
    'hostname localhost && exec "$@"',
    "-",
    process.execPath,
    ...process.argv.slice(1),
  ];
  const env = { ...process.env, SLUICE_BENCH_INSIDE: "yes" };
  const { status } = spawnSync("unshare", again, { stdio: "inherit", env });
  await putAway();
  process.exit(status ?? 1);
}
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in MEASUREMENTS));
if (unknown) {
  console.error(`sluice: there is no measurement '${unknown}'; there are ${Object.keys(MEASUREMENTS).join(", ")}`);
  await putAway();
  process.exit(2);
}
/** At once: what takes long may be ended before its last row. */
function write(name, measured) {
  all[name] = measured;
  mkdirSync(join(root, "webapp/target"), { recursive: true });
  writeFileSync(results, JSON.stringify(all));
  writeFileSync(page, document(all));
}

const all = existsSync(results) ? JSON.parse(readFileSync(results, "utf8")) : {};
for (const [name, measurement] of Object.entries(MEASUREMENTS).filter(
  ([name]) => !asked.length || asked.includes(name),
)) {
  say(`${name} …`);
  const around = circumstances();
  const before = all[name]?.figures ?? [];
  const figures = [];
  for await (const one of (await measurement()) ?? []) {
    say(`${one.name}: ${one.measured.replaceAll("**", "")} (goal ${one.goal})`);
    figures.push({ ...one, around, date: new Date().toISOString().slice(0, 10) });
    const rest = before.filter((old) => !figures.some((fresh) => fresh.name === old.name));
    write(name, { figures: [...figures, ...rest], machine: machine() });
  }
  if (figures.length) write(name, { figures, machine: machine() });
}
await putAway();
say("written to docs/figures.md");
