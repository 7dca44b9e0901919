// Submits real jobs over the API, as a program of somebody's would, and waits for what becomes of them.
import assert from "node:assert/strict";
import { admin, gateway } from "./browser.mjs";

const PATIENCE = 60_000;

/** Somebody's own way to the API. */
export async function desk({ name, password } = admin) {
  const answer = await fetch(`${gateway}/api/v2/authn/basic/login`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ username: name, password }),
  });
  assert.equal(answer.status, 200);
  const { token } = await answer.json();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const path = (job) => `${gateway}/api/v2/jobs/${name}~${job}`;

  async function submit(job) {
    const stored = await fetch(`${gateway}/api/v2/jobs`, { method: "POST", headers, body: JSON.stringify(job) });
    assert.equal(stored.status, 202, await stored.text());
    return `${name}~${job.jobName}`;
  }

  async function until(job, wanted) {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const { jobStatus } = await (await fetch(path(job), { headers })).json();
      if (jobStatus?.state === wanted) return jobStatus;
      if (Date.now() > end) throw new Error(`${job} is ${jobStatus?.state}, not ${wanted}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function stop(job) {
    const body = JSON.stringify({ value: "STOP" });
    const stopped = await fetch(`${path(job)}/executionType`, { method: "PUT", headers, body });
    assert.equal(stopped.status, 202);
  }

  /** Of all of the jobs of theirs. */
  async function names() {
    const jobs = await (await fetch(`${gateway}/api/v2/jobs?username=${name}`, { headers })).json();
    return jobs.map((job) => `${job.name} ${job.state}`).sort();
  }

  async function sharedWith(key) {
    const all = await (await fetch(`${gateway}/api/v2/jobs/${key}/endpoints`, { headers })).json();
    return all.flatMap((endpoint) => endpoint.shared);
  }

  return { submit, until, stop, names, sharedWith, token };
}

/** A job of one role, as protocol 1 has it; it asks for no processor of its own, so that it waits for no other journey. */
export function plain(jobName, command, { taskNumber = 1, cpuNumber = 0, ...more } = {}) {
  const role = { name: "main", taskNumber, cpuNumber, memoryMB: 64, command };
  return { jobName, image: "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime", taskRoles: [role], ...more };
}
