// `./sluice bench [NAME...]`: measures the figures that the project promises and writes them into docs/figures.md.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { measureIdle } from "./idle.mjs";
import { freePort, javaHome, PASSWORD, putAway, root, scratch, summary, timeToAnswer } from "./measure.mjs";
import { measurePeople } from "./people.mjs";
import { measureStart } from "./start.mjs";
import { session } from "./visitor.mjs";
import { measureWeight } from "./weight.mjs";

const results = join(root, "webapp/target/figures.json");
const checked = join(root, "webapp/target/check.json");
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

const MEASUREMENTS = { start, idle, people, weight };

function machine() {
  const { model } = cpus()[0];
  const java = /^JAVA_VERSION="?([^"\n]+)/m.exec(readFileSync(join(javaHome(), "release"), "utf8"))[1];
  return `${cpus().length} × ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB; JDK ${java}, Node.js ${process.versions.node}`;
}

/** A machine with other work on it shows that work, unless the benchmark goes before it (`chrt -f 10`). */
function circumstances() {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const before = fields[38] === "1" ? ", the benchmark going before it (`chrt -f 10`)" : "";
  return `load ${loadavg()[0].toFixed(0)}${before}`;
}

/** What the last `./sluice test` measured by the way. */
function fromTheCheck() {
  if (!existsSync(checked)) return [];
  const { unit, whole, lighthouse } = JSON.parse(readFileSync(checked, "utf8"));
  const rows = [];
  if (lighthouse) {
    const lowest = Object.entries(lighthouse.value).map(([category, score]) => `${category} ${score}`);
    const reached = Math.min(...Object.values(lighthouse.value)) >= 95;
    rows.push([
      figure("Lighthouse, the lowest of all pages", "≥ 95 in all four", lowest.join(", "), reached),
      lighthouse,
    ]);
  }
  if (unit) rows.push([figure("unit suite", "≤ 40 s", `**${unit.value.toFixed(0)}** s`, unit.value <= 40), unit]);
  if (whole)
    rows.push([
      figure("all of `./sluice test`", "≤ 600 s", `**${whole.value.toFixed(0)}** s`, whole.value <= 600),
      whole,
    ]);
  return rows.map(([one, { date, around }]) => row(one, { date, around, command: "./sluice test" }));
}

const row = ({ name, goal, measured, reached }, { date, around = "", command }) =>
  `| ${name} | ${goal} | ${measured} | ${reached ? "yes" : "**no**"} | ${date}${around && `, ${around}`} | \`${command}\` |`;

function document(all) {
  const rows = Object.entries(all).flatMap(([name, of]) =>
    of.figures.map((one) => row(one, { ...of, command: `./sluice bench ${name}` })),
  );
  const machines = [...new Set(Object.values(all).map((of) => of.machine))];
  return `# Figures

Measured by \`./sluice bench\`, which writes this page; nothing here is typed by hand. Medians with [smallest–largest]; what is compared
runs in turn in the same minutes. Absolute numbers hold for the machine named below, ratios for others too.

Machine: ${machines.join("; ")}

| figure | goal | measured | reached | when | command |
|---|---|---|---|---|---|
${[...rows, ...fromTheCheck()].join("\n")}
`;
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in MEASUREMENTS));
if (unknown) {
  console.error(`sluice: there is no measurement '${unknown}'; there are ${Object.keys(MEASUREMENTS).join(", ")}`);
  await putAway();
  process.exit(2);
}
const all = existsSync(results) ? JSON.parse(readFileSync(results, "utf8")) : {};
for (const [name, measurement] of Object.entries(MEASUREMENTS).filter(
  ([name]) => !asked.length || asked.includes(name),
)) {
  say(`${name} …`);
  const around = circumstances();
  const figures = await measurement();
  for (const one of figures) say(`${one.name}: ${one.measured.replaceAll("**", "")} (goal ${one.goal})`);
  all[name] = { figures, machine: machine(), around, date: new Date().toISOString().slice(0, 10) };
}
await putAway();
mkdirSync(join(root, "docs"), { recursive: true });
writeFileSync(results, JSON.stringify(all));
writeFileSync(join(root, "docs/figures.md"), document(all));
say("written to docs/figures.md");
