// A gateway on a data folder of its own, and a client that submits jobs to it as a program does: by token, on connections that stay.
import { existsSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, PASSWORD, root, scratch, timeToAnswer } from "./measure.mjs";
import { fetchPage } from "./visitor.mjs";

const LIMITS = [
  "--submissions-per-hour",
  "999999999",
  "--lists-per-minute",
  "999999999",
  "--calls-per-minute",
  "999999999",
];

/** Milliseconds since 1970, finer than Date tells. */
export const clock = () => performance.timeOrigin + performance.now();

/** The protocol of a job of one task with these commands. */
export const job = (name, command, { cpu = 1, memoryMB = 64, instances = 1 } = {}) => `protocolVersion: 2
name: ${name}
type: job
prerequisites:
  - { type: dockerimage, name: image, uri: none }
taskRoles:
  worker:
    instances: ${instances}
    dockerImage: image
    resourcePerInstance: { cpu: ${cpu}, memoryMB: ${memoryMB}, gpu: 0 }
    commands:
      - ${JSON.stringify(command)}
`;

export async function gateway(name, { flags = [], env = {} } = {}) {
  const port = await freePort();
  const data = join(scratch, name);
  const address = `http://127.0.0.1:${port}`;
  const { child } = await timeToAnswer(
    join(root, "sluice"),
    ["up", "--port", String(port), "--data", data, ...LIMITS, ...flags],
    { port, path: "/readyz", env: { SLUICE_ADMIN_PASSWORD: PASSWORD, ...env } },
  );
  return { child, address, data, close: () => child.stop(), ...(await client(address)) };
}

/** Signed in as the administrator. */
export async function client(address) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const body = JSON.stringify({ username: "admin", password: PASSWORD });
  const headers = { "content-type": "application/json" };
  const signIn = () => fetchPage(address, "/api/v2/authn/basic/login", { agent, method: "POST", headers, body });
  let login = await signIn();
  // it serves a moment before the first administrator is there
  for (let tries = 0; login.status !== 200 && tries < 50; tries++) {
    await pause(100);
    login = await signIn();
  }
  if (login.status !== 200) throw new Error(`signing in answers ${login.status}: ${login.body}`);
  const authorization = `Bearer ${JSON.parse(login.body).token}`;
  const call = async (method, path, { body, headers } = {}) => {
    const answer = await fetchPage(address, path, { agent, method, body, headers: { authorization, ...headers } });
    if (answer.status >= 300) throw new Error(`${method} ${path} answers ${answer.status}: ${answer.body}`);
    return answer;
  };
  const execute = (key, value) =>
    call("PUT", `/api/v2/jobs/${key}/executionType`, {
      body: JSON.stringify({ value }),
      headers: { "content-type": "application/json" },
    });
  return {
    authorization,
    get: (path) => call("GET", path),
    send: (method, path, value) =>
      call(method, path, { body: JSON.stringify(value), headers: { "content-type": "application/json" } }),
    submit: (text) => call("POST", "/api/v2/jobs", { body: text, headers: { "content-type": "text/yaml" } }),
    stop: (key) => execute(key, "STOP"),
    /** A task that is still being stopped would outlive the gateway. */
    async stopped(key) {
      await execute(key, "STOP");
      const state = async () => JSON.parse((await call("GET", `/api/v2/jobs/${key}`)).body).jobStatus.state;
      while ((await state()) !== "STOPPED") await pause(50);
    },
    restart: (key) => execute(key, "START"),
  };
}

/** The lines that tasks have appended to a file in the administrator's folder, once there are so many. */
export async function marks(data, file, count, seconds = 60) {
  const path = join(data, "homes/admin", file);
  for (const end = clock() + seconds * 1000; clock() < end; await pause(5)) {
    const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
    if (lines.length >= count) return lines.map((line) => line.split(" "));
  }
  throw new Error(
    `${count} tasks should have begun within ${seconds} s: ${existsSync(path) && readFileSync(path, "utf8")}`,
  );
}

/** A URL of the embedded database, for programs that measure beside the gateway or, on a port of their own, without it. */
export function database(data, port = readFileSync(join(data, "postgres/postmaster.pid"), "utf8").split("\n")[3]) {
  const password = readFileSync(join(data, "postgres/sluice-password"), "utf8").trim();
  return `postgresql://sluice:${password}@127.0.0.1:${port}/postgres`;
}
