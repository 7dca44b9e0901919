// The whole check, `./sluice test`: installs what the tests need, runs every one of them, prints one closing line.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { debian, engine, javaImage, postgresImage } from "./docker.mjs";
import { install } from "./machine.mjs";
import { command, output, root } from "./processes.mjs";
import { tallyOf } from "./reports.mjs";
import { counted, finish, nodeTests, say, stage } from "./stages.mjs";

/** `./mvnw verify`; a failed test stops no other, and the reports tell which failed. */
async function verify() {
  const unit = join(root, "backend/target/surefire-reports");
  const system = join(root, "backend/target/failsafe-reports");
  for (const reports of [unit, system]) rmSync(reports, { recursive: true, force: true });
  const steps = stepTimes();
  const options = ["-B", "-DskipITs=false", "-Dmaven.test.failure.ignore=true"];
  let fault;
  await command("./mvnw", [...options, "verify"], { onLine: steps.hear }).catch((broken) => {
    fault = broken;
  });
  const told = `unit: ${counted(tallyOf(unit, say))}; integration: ${counted(tallyOf(system, say))}`;
  say(`  ${steps.told()}`);
  if (fault) throw fault;
  return told;
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
  return { hear, told };
}

/** The container image and the compose file, on an engine of our own. */
async function compose() {
  const [env, plain, postgres] = await Promise.all([
    engine(),
    debian("passwd", "ca-certificates"),
    debian("postgresql"),
  ]);
  const docker = (...args) => output("docker", args, { env });
  await Promise.all([
    javaImage(docker, plain, "eclipse-temurin:25-jre"),
    postgresImage(docker, postgres, "postgres:18"),
  ]);
  return nodeTests([join(root, ".ci/compose.test.mjs")], { name: "compose", env, limit: 300 });
}

const STAGES = {
  needs: ["what the tests need", install],
  verify: ["build, checks, unit and integration tests", verify],
  compose: ["compose", compose],
};
const asked = process.argv.slice(2).filter((word) => word in STAGES);
for (const [name, [title, work]] of Object.entries(STAGES))
  if (asked.length === 0 || asked.includes(name)) await stage(title, work);
await finish({ strict: process.argv.includes("--no-skips") });
