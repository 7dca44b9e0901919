// Jobs that print, and their log on the page.
import assert from "node:assert/strict";
import { admin, freshName, gateway } from "./browser.mjs";

const PATIENCE = 60_000;

/** The administrator's way to the API of a gateway. */
export async function logs(address = gateway) {
  let token;
  async function ask(method, path, body) {
    const answer = await fetch(address + path, {
      method,
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
    return answer;
  }
  const call = async (method, path, body) => (await ask(method, path, body)).json();
  token = (await call("POST", "/api/v1/authn/basic/login", { username: admin.name, password: admin.password })).token;

  /** Submits a job whose tasks run this script, and tells its name; it asks for no processor, so that it waits for nobody. */
  async function submit(script, { instances = 1, stem = "log" } = {}) {
    const name = freshName(stem).replaceAll("-", "_");
    await call("POST", "/api/v2/jobs", {
      protocolVersion: 2,
      name,
      type: "job",
      prerequisites: [{ name: "image", type: "dockerimage", uri: "none" }],
      taskRoles: {
        worker: {
          instances,
          dockerImage: "image",
          resourcePerInstance: { cpu: 0, memoryMB: 64, gpu: 0 },
          commands: script.split("\n"),
        },
      },
    });
    return name;
  }

  const ENDED = ["SUCCEEDED", "FAILED", "STOPPED"];
  async function until(name, wanted) {
    for (const end = Date.now() + PATIENCE; ; ) {
      const { jobStatus } = await call("GET", `/api/v2/jobs/${admin.name}~${name}`);
      if (jobStatus.state === wanted) return;
      assert.ok(!ENDED.includes(jobStatus.state) && Date.now() < end, `${name} is ${jobStatus.state}, not ${wanted}`);
      await new Promise((later) => setTimeout(later, 100));
    }
  }

  const pathOf = (name, index = 0) =>
    `/api/v2/jobs/${admin.name}~${name}/attempts/0/taskRoles/worker/taskIndex/${index}/attempts/0/log`;

  return {
    headers: { Authorization: `Bearer ${token}` },
    submit,
    until,
    pathOf,
    /** A job that has ended well. */
    async printed(script, options) {
      const name = await submit(script, options);
      await until(name, "SUCCEEDED");
      return name;
    },
    /** A job that runs. */
    async printing(script, options) {
      const name = await submit(script, options);
      await until(name, "RUNNING");
      return name;
    },
    state: (name) => call("GET", `${pathOf(name)}/state`),
    bytes: async (name) => Buffer.from(await (await ask("GET", pathOf(name))).arrayBuffer()),
    async anotherAdministrator() {
      const other = { name: freshName("admin"), password: "another password" };
      await call("POST", "/api/v2/users", { username: other.name, password: other.password, admin: true });
      return other;
    },
    stop: (name) => call("PUT", `/api/v2/jobs/${admin.name}~${name}/executionType`, { value: "STOP" }),
  };
}

export async function open(page, name) {
  await page.goto(`/jobs/${admin.name}~${name}`);
  // it is loaded once it comes into view, and on a phone much stands above it
  await page.locator("#panel-log").scrollIntoViewIfNeeded();
  await page.locator("log-view[ready]").waitFor();
}

export const rows = (page) => page.locator("log-view .row .text").allInnerTexts();
export const row = (page, text) => page.locator("log-view .row", { hasText: text }).first();
export const status = (page) => page.locator("log-view .log-foot > span").first();
export const view = (page) => page.locator("log-view .log-view");
