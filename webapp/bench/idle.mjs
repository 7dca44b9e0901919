// How much memory the gateway holds when nobody asks it for anything.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, PASSWORD, residentMebibytes, root, scratch, timeToAnswer } from "./measure.mjs";
import { session } from "./visitor.mjs";

const REST = 15_000;
const PAGES = ["/sign-in", "/people", "/profile", "/healthz", "/metrics", "/api/openapi.json", "/no-such-page"];

export async function measureIdle(rounds) {
  const fresh = [];
  const used = [];
  for (let round = 0; round < rounds; round++) {
    const port = await freePort();
    const args = ["up", "--port", String(port), "--data", join(scratch, "idle")];
    const env = { SLUICE_ADMIN_PASSWORD: PASSWORD };
    const { child } = await timeToAnswer(join(root, "sluice"), args, { port, path: "/readyz", env });
    await pause(REST);
    fresh.push(residentMebibytes(child.pid));
    const visitor = await session(`http://127.0.0.1:${port}`);
    for (let times = 0; times < 20; times++) for (const page of PAGES) await visitor.get(page);
    await pause(REST);
    used.push(residentMebibytes(child.pid));
    await child.stop();
  }
  return { fresh, used };
}
