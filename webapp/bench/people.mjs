// The people page with ten thousand users, asked for a hundred times a second.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, PASSWORD, percentile, root, scratch, timeToAnswer } from "./measure.mjs";
import { session } from "./visitor.mjs";

const USERS = 10_000;
const PER_SECOND = 100;
const env = { SLUICE_ADMIN_PASSWORD: PASSWORD };

async function gateway(data) {
  const port = await freePort();
  const args = ["up", "--port", String(port), "--data", data];
  const { child } = await timeToAnswer(join(root, "sluice"), args, { port, path: "/readyz", env });
  return { child, address: `http://127.0.0.1:${port}` };
}

/** Puts the users there while nobody serves: PostgreSQL's single-user mode needs no other program. */
function seed(data) {
  const home = readdirSync(data).find((name) => existsSync(join(data, name, "bin/postgres")));
  const asRoot = process.getuid() === 0 ? ["unshare", "-U"] : [];
  const command = [...asRoot, join(data, home, "bin/postgres"), "--single", "-D", join(data, "postgres"), "postgres"];
  const people = `SELECT 'person' || n, 'person' || n || '@example.org', password FROM users, generate_series(1, ${USERS}) n WHERE admin`;
  const members = "SELECT id, 'default' FROM users WHERE NOT admin";
  const sql = [`INSERT INTO users (name, email, password) ${people}`, `INSERT INTO memberships ${members}`, "ANALYZE"];
  execFileSync(command[0], command.slice(1), { input: `${sql.join(";\n")};\n`, stdio: ["pipe", "pipe", "pipe"] });
}

/** Requests leave when they are due, whether or not the ones before have been answered. */
async function load(visitor, path, seconds) {
  const waits = [];
  const answers = [];
  const began = performance.now();
  for (let n = 0; n < seconds * PER_SECOND; n++) {
    const due = began + (n * 1000) / PER_SECOND;
    await pause(Math.max(0, due - performance.now()));
    const sent = performance.now();
    answers.push(
      visitor.get(path).then(({ status, first }) => {
        if (status !== 200) throw new Error(`${path} answers ${status}`);
        waits.push(sent - due + first);
      }),
    );
  }
  await Promise.all(answers);
  return waits;
}

export async function measurePeople({ rounds, seconds }) {
  const data = join(scratch, "people");
  const first = await gateway(data);
  await first.child.stop();
  seed(data);
  const { child, address } = await gateway(data);
  const visitor = await session(address);
  const page = await visitor.get("/people");
  if (!page.body.includes("person10000") && !page.body.includes("person9999") && !page.body.includes(">person1<"))
    throw new Error("the people page does not show the users that were added");
  await load(visitor, "/people", 10); // a server that serves is warm
  const p99 = [];
  const p50 = [];
  for (let round = 0; round < rounds; round++) {
    const waits = await load(visitor, "/people", seconds);
    p99.push(percentile(waits, 0.99));
    p50.push(percentile(waits, 0.5));
  }
  visitor.close();
  await child.stop();
  return { p99, p50, bytes: page.body.length };
}
