// The browser journeys.
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { containers } from "./docker.mjs";
import { startGateway } from "./gateway.mjs";
import { freeRange, hasApps, hasCodeServer, need, WITHOUT_APPS, WITHOUT_CODE_SERVER } from "./machine.mjs";
import { remember } from "./measured.mjs";
import { command, Failure, lastLines, root, scratch } from "./processes.mjs";
import { nodeTests } from "./stages.mjs";

/** The browser journeys, against the jar that was just built. */
export async function journeys() {
  need("chromium", "fonts-noto-cjk", "docker.io", "postgresql");
  const folder = join(root, "webapp/journeys");
  await command("npm", ["ci", "--no-progress", "--loglevel=error"], { cwd: folder });
  const password = randomBytes(12).toString("hex");
  // people beside the administrator have jobs in some journeys
  const shared = { SLUICE_ALLOW_SHARED_PROCESS_ENGINE: "true" };
  const gateway = await startGateway({ SLUICE_ADMIN_PASSWORD: password, ...shared });
  const untouched = await startGateway({}, { name: "untouched", ready: /^set up: (\S+)/ });
  // keeps so little that a log loses its middle and an old one goes
  const small = await startGateway(
    { SLUICE_ADMIN_PASSWORD: password, SLUICE_LOG_LIMIT: "64m", SLUICE_LOGS_TOTAL: "100m" },
    { name: "small" },
  );
  const engine = await containers();
  const inContainers = await startGateway({ SLUICE_ADMIN_PASSWORD: password, ...engine }, { name: "containers" });
  // nobody listens where it looks for Grafana but the journey that stands in for it
  const grafana = (await freeRange(1)).split("-")[0];
  const devices = await startGateway(
    {
      SLUICE_ADMIN_PASSWORD: password,
      SLUICE_SIMULATE_DEVICES: "8xAscend910B,4xH100",
      SLUICE_GRAFANA: `http://127.0.0.1:${grafana}`,
    },
    { name: "devices" },
  );
  const range = await freeRange(16);
  const onPorts = await startGateway({ SLUICE_ADMIN_PASSWORD: password, SLUICE_ENDPOINT_PORTS: range, ...shared }, { name: "ports" });
  const inside = await startGateway({ SLUICE_ADMIN_PASSWORD: password, SLUICE_APPS_DOMAIN: "none", ...shared }, { name: "inside" });
  const all = readdirSync(folder).filter((name) => name.endsWith(".journey.mjs"));
  const files = all.filter(
    (name) => (hasApps() || !name.startsWith("notebooks-")) && (hasCodeServer() || !name.startsWith("code-server.")),
  );
  const env = {
    SLUICE_URL: gateway.match[1],
    SLUICE_ADMIN_PASSWORD: password,
    SLUICE_SET_UP: untouched.match[1],
    SLUICE_SMALL_URL: small.match[1],
    SLUICE_SMALL_DATA: join(scratch, "small"),
    SLUICE_DOCKER_URL: inContainers.match[1],
    SLUICE_DEVICES_URL: devices.match[1],
    SLUICE_DEVICES_DATA: join(scratch, "devices"),
    SLUICE_GRAFANA_PORT: grafana,
    SLUICE_PORTS_URL: onPorts.match[1],
    SLUICE_INSIDE_URL: inside.match[1],
  };
  // those that have a gateway to themselves go beside the first ones; nothing beside Lighthouse, which measures
  const own = /^(devices|docker|hostile-inside|hostile-ports|notebooks-boxed|notebooks-inside|notebooks-ports)\./;
  const apart = files.filter((name) => own.test(name));
  const first = files.filter((name) => name < "lighthouse" && !apart.includes(name));
  const then = files.filter((name) => name >= "lighthouse" && !apart.includes(name));
  const scores = {};
  const onLine = (line) => keepLowest(scores, line);
  const told = await nodeTests([[first, apart], [then]], { name: "journeys", env, cwd: folder, onLine });
  remember("lighthouse", scores);
  await untouched.stop();
  await small.stop();
  await inContainers.stop();
  await devices.stop();
  await onPorts.stop();
  await inside.stop();
  const code = await gateway.stop();
  if (code !== 0) throw new Failure(`the gateway ended with ${code}:\n${lastLines(gateway.log)}`);
  return [told, hasApps() ? "" : WITHOUT_APPS, hasCodeServer() ? "" : WITHOUT_CODE_SERVER].filter(Boolean).join("; ");
}

/** Of what the Lighthouse journey prints for each page, the lowest score in each category. */
function keepLowest(scores, line) {
  if (!/^(\/|http)/.test(line)) return;
  for (const [, category, score] of line.matchAll(/(?:^\S* |, )([a-z-]+) (\d+)(?=,|$)/g))
    scores[category] = Math.min(scores[category] ?? 100, Number(score));
}
