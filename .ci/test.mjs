// The whole check, `./sluice test`: installs what the tests need, runs every one of them, prints one closing line. Stages named
// after it run alone; --no-skips makes a skipped test a failure.
import { join } from "node:path";
import { advisories } from "./advisories.mjs";
import { codeServer } from "./code-server.mjs";
import { debian, engine, javaImage, postgresImage } from "./docker.mjs";
import { journeys } from "./journeys.mjs";
import { install } from "./machine.mjs";
import { remember } from "./measured.mjs";
import { output, putAway, root } from "./processes.mjs";
import { finish, nodeTests, secondsSoFar, stage } from "./stages.mjs";
import { verify } from "./verify.mjs";

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
  return checks("compose", { env, limit: 900 });
}

const checks = (name, options) => nodeTests([[{ lists: [[join(root, `.ci/${name}.test.mjs`)]] }]], { name, ...options });

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
// one after the other, but for the last two: a build on one processor, and an engine that is waited for
const ROUNDS = [["needs"], ["verify"], ["advisories"], ["journeys"], ["launcher", "compose"]];
const strict = process.argv.includes("--no-skips");
const asked = process.argv.slice(2).filter((word) => word !== "--no-skips");
const unknown = asked.find((word) => !(word in STAGES));
if (unknown) {
  console.error(`sluice: there is no stage '${unknown}'; stages are ${Object.keys(STAGES).join(", ")}`);
  await putAway();
  process.exit(2);
}
const chosen = (name) => asked.length === 0 || asked.includes(name);
for (const names of ROUNDS) {
  await Promise.all(names.filter(chosen).map((name) => stage(...STAGES[name])));
  if (names.includes("needs") && chosen("journeys")) codeServer();
}
if (asked.length === 0) remember("whole", secondsSoFar());
await finish({ strict });
