// The whole check, `./sluice test`: installs what the tests need, runs every one of them, prints one closing line. Stages named
// after it run alone; --no-skips makes a skipped test a failure.
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { advisories } from "./advisories.mjs";
import { debian, engine, javaImage, postgresImage } from "./docker.mjs";
import { startGateway } from "./gateway.mjs";
import { install, need } from "./machine.mjs";
import { command, Failure, lastLines, output, putAway, root } from "./processes.mjs";
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

/** Made while Maven waits for its downloads. */
function baseImages() {
  const making = Promise.all([debian("ca-certificates"), debian("postgresql")]);
  making.catch(() => undefined); // told by the stage that uses them
  return making;
}

/** The container image and the compose file, on an engine of our own. */
async function compose() {
  const [env, [plain, postgres]] = await Promise.all([engine(), bases ?? baseImages()]);
  const docker = (...args) => output("docker", args, { env });
  await Promise.all([
    javaImage(docker, plain, "eclipse-temurin:25-jre"),
    postgresImage(docker, postgres, "postgres:18"),
  ]);
  return checks("compose", { env, limit: 300 });
}

/** The browser journeys, against the jar that was just built. */
async function journeys() {
  need("chromium", "fonts-noto-cjk");
  const folder = join(root, "webapp/journeys");
  await command("npm", ["ci", "--no-progress", "--loglevel=error"], { cwd: folder });
  const password = randomBytes(12).toString("hex");
  const gateway = await startGateway({ SLUICE_ADMIN_PASSWORD: password });
  const untouched = await startGateway({}, { name: "untouched", ready: /^set up: (\S+)/ });
  const files = readdirSync(folder).filter((name) => name.endsWith(".journey.mjs"));
  const env = { SLUICE_URL: gateway.match[1], SLUICE_ADMIN_PASSWORD: password, SLUICE_SET_UP: untouched.match[1] };
  // one after the other: the link can be used once, and Lighthouse measures
  const told = await nodeTests(files, { name: "journeys", env, cwd: folder, concurrency: 1 });
  await untouched.stop();
  const code = await gateway.stop();
  if (code !== 0) throw new Failure(`the gateway ended with ${code}:\n${lastLines(gateway.log)}`);
  return told;
}

const checks = (name, options) => nodeTests([join(root, `.ci/${name}.test.mjs`)], { name, ...options });

let bases;
const STAGES = {
  needs: ["what the tests need", install],
  verify: [
    "build, checks, unit and integration tests",
    () => {
      if (chosen("compose")) bases = baseImages();
      return verify();
    },
  ],
  advisories: ["known vulnerabilities", async () => `${await checks("advisories")}; ${await advisories()}`],
  journeys: ["browser journeys", journeys],
  launcher: ["launcher", () => checks("launcher")],
  compose: ["compose", compose],
};
const strict = process.argv.includes("--no-skips");
const asked = process.argv.slice(2).filter((word) => word !== "--no-skips");
const unknown = asked.find((word) => !(word in STAGES));
if (unknown) {
  console.error(`sluice: there is no stage '${unknown}'; stages are ${Object.keys(STAGES).join(", ")}`);
  await putAway();
  process.exit(2);
}
const chosen = (name) => asked.length === 0 || asked.includes(name);
for (const [name, [title, work]] of Object.entries(STAGES)) if (chosen(name)) await stage(title, work);
await finish({ strict });
