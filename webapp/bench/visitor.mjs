// Somebody who is signed in, without a browser.
import { Agent, request } from "node:http";
import { PASSWORD } from "./measure.mjs";

export function fetchPage(address, path, { agent, method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const asked = request(new URL(path, address), { agent, method, headers }, (answer) => {
      const first = performance.now() - began;
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts), first }),
      );
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

export async function session(address, { sockets = 16 } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const form = { "content-type": "application/x-www-form-urlencoded", origin: address };
  const body = new URLSearchParams({ name: "admin", password: PASSWORD }).toString();
  const answer = await fetchPage(address, "/sign-in", { agent, method: "POST", headers: form, body });
  if (answer.status !== 303) throw new Error(`signing in answers ${answer.status}: ${answer.body}`);
  const cookie = answer.headers["set-cookie"].map((one) => one.split(";")[0]).join("; ");
  const get = (path, headers = {}) => fetchPage(address, path, { agent, headers: { cookie, ...headers } });
  return { get, cookie, close: () => agent.destroy() };
}
