// Maven's part of the check.
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  hasApps,
  hasSamples,
  hasTensorFlow,
  hasTorch,
  root as asRoot,
  WITHOUT_APPS,
  WITHOUT_SAMPLES,
  WITHOUT_TENSORFLOW,
  WITHOUT_TORCH,
} from "./machine.mjs";
import { remember } from "./measured.mjs";
import { command, root } from "./processes.mjs";
import { tallyOf } from "./reports.mjs";
import { counted, say } from "./stages.mjs";

const UNIT = "surefire:test";
const AGAIN = ["surefire", "failsafe"].map((plugin) => `-D${plugin}.rerunFailingTestsCount=1`);

/** `./mvnw verify`; a failed test stops no other, and the reports tell which failed. */
export async function verify() {
  const unit = join(root, "backend/target/surefire-reports");
  const system = join(root, "backend/target/failsafe-reports");
  for (const reports of [unit, system]) rmSync(reports, { recursive: true, force: true });
  const steps = stepTimes();
  const options = ["-B", "-DskipITs=false", "-Dmaven.test.failure.ignore=true", ...AGAIN];
  const without = [
    ["notebooks", WITHOUT_APPS, hasApps()],
    ["torch", WITHOUT_TORCH, hasTorch()],
    ["tensorflow", WITHOUT_TENSORFLOW, hasTensorFlow()],
    ["samples", WITHOUT_SAMPLES, hasSamples()],
  ].filter(([, , there]) => !there);
  if (without.length > 0) options.push(`-DexcludedGroups=${without.map(([group]) => group).join(" | ")}`);
  // else there is one Docker engine at a time, and a fork that wants another one waits
  if (asRoot) options.push(`-Dit.jvm=${join(root, ".ci/apart/bin/java")}`);
  await objectStore();
  let fault;
  await command("./mvnw", [...options, "verify"], { onLine: steps.hear }).catch((broken) => {
    fault = broken;
  });
  const told = `unit: ${counted(tallyOf(unit, say))}; integration: ${counted(tallyOf(system, say))}`;
  say(`  ${steps.told()}`);
  if (steps.seconds[UNIT]) remember("unit", steps.seconds[UNIT]);
  if (fault) throw fault;
  return [told, ...without.map(([, what]) => what)].join("; ");
}

/** The store of objects that tests start: in a network of its own a fork could not fetch it. */
async function objectStore() {
  const cwd = join(root, "backend/target/s3");
  const done = join(cwd, "installed");
  if (existsSync(done)) return;
  cpSync(join(root, "backend/src/test/s3"), cwd, { recursive: true });
  await command("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd, limit: 300 });
  writeFileSync(done, "");
}

/** How long each Maven goal took, by the line that begins it. */
function stepTimes() {
  const seconds = {};
  let step = "start";
  let since = performance.now();
  const hear = (line) => {
    const next = /^\[INFO\] (?:--- (\S+?):\S+?:(\S+) |BUILD )/.exec(line);
    if (!next) return;
    seconds[step] = (seconds[step] ?? 0) + (performance.now() - since) / 1000;
    step = `${next[1]}:${next[2]}`;
    since = performance.now();
  };
  const told = () =>
    Object.entries(seconds)
      .filter(([, spent]) => spent >= 1)
      .map(([name, spent]) => `${name} ${spent.toFixed(1)} s`)
      .join(", ");
  return { hear, told, seconds };
}
