// JupyterLab opened in Chromium, with an empty cache, by its own address and through the gateway.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { client, gateway, job } from "./gateway.mjs";
import { freePort, interleaved, PASSWORD, root, run } from "./measure.mjs";
import { door } from "./peers.mjs";

const LAB = "/opt/sluice-test/apps/bin/jupyter-lab";

export const withoutLab = () =>
  existsSync(LAB) ? null : `there is no ${LAB} (\`./sluice test\` installs it where it may)`;

export async function measureLab(rounds) {
  const journeys = join(root, "webapp/journeys");
  if (!existsSync(join(journeys, "node_modules"))) await run("npm", ["ci", "--prefix", journeys, "--loglevel=error"]);
  const at = await gateway("lab", { flags: ["--engine", "process", "--ssh-port", "off"] });
  process.env.SLUICE_URL = at.address;
  process.env.SLUICE_ADMIN_PASSWORD = PASSWORD;
  const { openBrowser } = await import("../journeys/browser.mjs");
  const port = await freePort();
  const options = `--no-browser --allow-root --ServerApp.ip=127.0.0.1 --ServerApp.port=${port} --ServerApp.port_retries=0`;
  const open = "--IdentityProvider.token= --ServerApp.allow_remote_access=True --ServerApp.root_dir=/userhome";
  await at.submit(job("app", `HOME=/tmp exec ${LAB} ${options} ${open}`, { memoryMB: 2048 }));
  const browser = await openBrowser();
  try {
    const enter = await door(at, "lab", port);
    const { Host, Cookie } = await enter();
    const [name, value] = Cookie.split("=");
    const through = `http://${Host}`;
    const visit = async (address, cookies) => {
      const context = await browser.newContext();
      if (cookies) await context.addCookies(cookies);
      const page = await context.newPage();
      const milliseconds = await complete(page, `${address}/lab`);
      await context.close();
      return milliseconds;
    };
    const all = {
      ours: () => visit(through, [{ name, value, url: through }]),
      direct: () => visit(`http://127.0.0.1:${port}`),
    };
    for (const one of Object.values(all)) for (let times = 0; times < 3; times++) await one();
    return await interleaved(rounds, all);
  } finally {
    await browser.close();
    await (await client(at.address)).stopped("admin~app");
    await at.close();
  }
}

/** From the navigation until the launcher with its kernels is there. */
async function complete(page, address) {
  const began = performance.now();
  await page.goto(address, { waitUntil: "load" });
  await page.locator(".jp-LauncherCard").first().waitFor({ timeout: 60_000 });
  return performance.now() - began;
}
