// The browser journeys.
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeServer } from "./code-server.mjs";
import { containers, share } from "./docker.mjs";
import { program, startGateway } from "./gateway.mjs";
import { CODE_SERVER, freeRange, hasApps, hasMore, need, WITHOUT_APPS, WITHOUT_MORE } from "./machine.mjs";
import { remember } from "./measured.mjs";
import { command, Failure, lastLines, root, scratch } from "./processes.mjs";
import { nodeTests } from "./stages.mjs";

/** The browser journeys, against the jar that was just built. */
export async function journeys() {
  need("chromium", "fonts-noto-cjk", "docker.io", "postgresql");
  const folder = join(root, "webapp/journeys");
  const installed = command("npm", ["ci", "--no-progress", "--loglevel=error"], { cwd: folder });
  const admin = { SLUICE_ADMIN_PASSWORD: randomBytes(12).toString("hex") };
  // people beside the administrator have jobs in some journeys
  const shared = { ...admin, SLUICE_ALLOW_SHARED_PROCESS_ENGINE: "true" };
  // nobody listens where it looks for Grafana but the journey that stands in for it
  const grafana = (await freeRange(1)).split("-")[0];
  const [ports, boxedPorts] = [await freeRange(16), await freeRange(16)];
  const settings = {
    gateway: shared,
    second: shared,
    third: shared,
    // keeps so little that a log loses its middle and an old one goes
    small: { ...admin, SLUICE_LOG_LIMIT: "64m", SLUICE_LOGS_TOTAL: "100m" },
    devices: {
      ...admin,
      SLUICE_SIMULATE_DEVICES: "8xAscend910B,4xH100",
      SLUICE_GRAFANA: `http://127.0.0.1:${grafana}`,
    },
    ports: { ...shared, SLUICE_ENDPOINT_PORTS: ports },
    inside: { ...shared, SLUICE_APPS_DOMAIN: "none" },
  };
  const [[gateway, second, third, small, devices, onPorts, inside, untouched], [inContainers, boxedOnPorts]] =
    await Promise.all([
      startGateways(settings),
      containers("boxed", "boxed-ports").then(async (env) => [
        await start("boxed", { ...admin, ...env }),
        await start("boxed-ports", { ...admin, ...env, SLUICE_ENDPOINT_PORTS: boxedPorts }),
      ]),
      installed,
    ]);
  const all = readdirSync(folder).filter((name) => name.endsWith(".journey.mjs"));
  const only = process.env.SLUICE_JOURNEYS && new RegExp(`^(${process.env.SLUICE_JOURNEYS})\\.`);
  const wanted = (name) => (hasApps() || !name.startsWith("notebooks-")) && (!only || only.test(name));
  const files = all.filter(wanted);
  const env = {
    ...admin,
    SLUICE_SET_UP: untouched.match[1],
    SLUICE_SMALL_URL: small.match[1],
    SLUICE_SMALL_DATA: join(scratch, "small"),
    SLUICE_DOCKER_URL: inContainers.match[1],
    SLUICE_DEVICES_URL: devices.match[1],
    SLUICE_DEVICES_DATA: join(scratch, "devices"),
    SLUICE_GRAFANA_PORT: grafana,
    SLUICE_PORTS_URL: onPorts.match[1],
    SLUICE_PORTS_RANGE: ports,
    SLUICE_DOCKER_PORTS_URL: boxedOnPorts.match[1],
    SLUICE_DOCKER_PORTS_RANGE: boxedPorts,
    SLUICE_INSIDE_URL: inside.match[1],
    // one that is killed: what is left of it is told by its folder
    SLUICE_PROGRAM: JSON.stringify(await program()),
    SLUICE_KILLED_DATA: join(scratch, "killed"),
  };
  // three lanes, each with a gateway of its own: those that bring theirs, notebooks, which wait for a minute now and then, and all others,
  // which go on where a lane has done its own. Lighthouse measures and has nothing beside it, and the set-up uses up the link that others look at
  const [last, own, notebooks] = [
    /^(lighthouse|set-up)\./,
    /^(devices|docker|hostile-inside|hostile-ports)\./,
    /^(notebooks-|code-server-)/,
  ].map((names) => files.filter((name) => names.test(name)));
  const others = files.filter((name) => ![...last, ...own, ...notebooks].includes(name));
  const [one, two, three] = [gateway, second, third].map(({ match }) => ({ SLUICE_URL: match[1] }));
  // one list, of which each lane takes
  const rest = codeLast(others);
  const rounds = [
    [
      { lists: [rest], env: one },
      { lists: [own, rest], env: two },
      { lists: [codeLast(notebooks), rest], env: three },
    ],
    [{ lists: [last], env: one }],
  ];
  const scores = {};
  const onLine = (line) => keepLowest(scores, line);
  const told = await nodeTests(rounds, { name: "journeys", env, cwd: folder, onLine });
  if (Object.keys(scores).length) remember("lighthouse", scores);
  const servers = [gateway, second, third, small, devices, onPorts, inside, untouched, inContainers, boxedOnPorts];
  const codes = await Promise.all(servers.map((each) => each.stop()));
  const wrong = codes.findIndex((code) => code !== 0);
  if (wrong >= 0) throw new Failure(`a gateway ended with ${codes[wrong]}:\n${lastLines(servers[wrong].log)}`);
  const without = [
    [hasApps(), WITHOUT_APPS],
    [!hasApps() || hasMore(), WITHOUT_MORE],
  ].filter(([there]) => !there);
  const noCode = files.some(withCode) ? await codeServer() : undefined;
  return [told, ...without.map(([, what]) => what), ...(noCode ? [noCode] : [])].join("; ");
}

const withCode = (name) => name.startsWith("code-server");

/** It may still be building: whoever needs it waits for it, and goes last. */
function codeLast(files) {
  const ready = (name) => async () => {
    if (await codeServer()) return undefined;
    const boxed = /boxed(-ports)?/.exec(name);
    if (boxed) await share(CODE_SERVER, boxed[0], "code-server");
    return name;
  };
  return [...files.filter((name) => !withCode(name)), ...files.filter(withCode).map(ready)];
}

/** With the apps that the guide for operators shows, exactly as it does. */
function start(name, env) {
  const recipes = join(scratch, name, "recipes");
  mkdirSync(recipes, { recursive: true });
  for (const [file, text] of shownRecipes()) writeFileSync(join(recipes, file), text);
  return startGateway(env, { name });
}

function shownRecipes() {
  const guide = readFileSync(join(root, "docs/operating.md"), "utf8");
  const shown = [...guide.matchAll(/`([a-z]+\.yaml)`:\n\n```yaml\n([^`]*)```/g)].map(([, file, text]) => [file, text]);
  if (shown.length < 2) throw new Failure("docs/operating.md shows less than two recipes as `NAME.yaml`: ```yaml");
  return shown;
}

/** One after the other, and last the one that nobody has set up: on a busy machine all at once would take longer than a start may. */
async function startGateways(settings) {
  const started = [];
  for (const [name, env] of Object.entries(settings)) started.push(await start(name, env));
  started.push(await startGateway({}, { name: "untouched", ready: /^set up: (\S+)/ }));
  return started;
}

/** Of what the Lighthouse journey prints for each page, the lowest score in each category. */
function keepLowest(scores, line) {
  if (!/^(\/|http)/.test(line)) return;
  for (const [, category, score] of line.matchAll(/(?:^\S* |, )([a-z-]+) (\d+)(?=,|$)/g))
    scores[category] = Math.min(scores[category] ?? 100, Number(score));
}
