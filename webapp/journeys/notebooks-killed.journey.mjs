// The gateway is killed beneath an open notebook, and started again: the notebook goes on, and its kernel has forgotten nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { freePort } from "./ports.mjs";

const command = process.env.SLUICE_PROGRAM;
const port = await freePort();
process.env.SLUICE_URL = `http://127.0.0.1:${port}`;
const { admin, freshName, openBrowser, picture, signedIn } = await import("./browser.mjs");
const { desk } = await import("./desk.mjs");
const { openFrom } = await import("./endpoints.mjs");
const { goesOn, notebook } = await import("./lab.mjs");
const { missing, PATH } = await import("./notebooks.mjs");
const skip = missing || (!command && "SLUICE_PROGRAM names no program");

let gateway;
let browser;
before(async () => {
  if (skip) return;
  gateway = await started();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  if (gateway?.kill("SIGTERM")) await once(gateway, "exit");
});

async function started() {
  const [java, ...args] = JSON.parse(command);
  const where = ["--port", `${port}`, "--data", process.env.SLUICE_KILLED_DATA, "--engine", "process"];
  const child = spawn(java, [...args, ...where, "--ssh-port", "0", "--prometheus", "off"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SLUICE_ADMIN_PASSWORD: admin.password },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith("ready ")) return child;
  throw new Error(`the gateway ended with ${child.exitCode} before it served`);
}

test("a_notebook_goes_on_under_the_next_gateway_and_its_kernel_has_kept_its_state", { skip }, async () => {
  const jobs = await desk();
  const jobName = freshName("killed").replaceAll("-", "_");
  const key = await jobs.submit({
    jobName,
    image: "none",
    extras: { sluice: { environment: { PATH }, endpoints: [{ recipe: "jupyterlab" }] } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 1000, command: "sleep 1000" }],
  });
  const { page, context } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  const lab = await openFrom(context, page, "jupyterlab");
  await notebook(lab, jobName);
  gateway.kill("SIGKILL");
  await once(gateway, "exit");
  await lab.getByText("| Connecting").waitFor();
  gateway = await started();
  await page.locator("#endpoint-jupyterlab .state", { hasText: "ready" }).waitFor();
  await goesOn(lab);
  await page.bringToFront();
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll("live-updates")];
    return all.length > 1 && all.every((one) => !one.hasAttribute("disconnected"));
  });
  await picture(page, "job-after-a-kill");
  await jobs.stop(jobName);
});
