// One Chromium for a journey, and what every journey does with it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const gateway = new URL(process.env.SLUICE_URL ?? "http://127.0.0.1:8080").origin;
export const admin = {
  name: process.env.SLUICE_ADMIN ?? "admin",
  password: process.env.SLUICE_ADMIN_PASSWORD ?? "",
};
export const DESKTOP = { width: 1360, height: 860 };
export const PHONE = { width: 390, height: 844 };

const pictures = fileURLToPath(new URL("../target/screenshots/", import.meta.url));
const FLAGS = [
  "--no-sandbox",
  "--headless=new",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Starts Chromium with an empty profile; `port` opens its debugging port, for Lighthouse. */
export async function openBrowser({ port } = {}) {
  const profile = mkdtempSync(join(tmpdir(), "sluice-chromium-"));
  const browser = await chromium.launch({
    executablePath: process.env.SLUICE_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    ignoreDefaultArgs: ["--headless", "--headless=old"],
    args: [...FLAGS, `--disk-cache-dir=${profile}`, ...(port ? [`--remote-debugging-port=${port}`] : [])],
  });
  return {
    browser,
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A visitor of their own: cookies, language, theme and size of window are not shared with another. */
export async function visitor(browser, { viewport = DESKTOP, theme = "light", language = "en", ...more } = {}) {
  const context = await browser.newContext({
    baseURL: gateway,
    viewport,
    colorScheme: theme,
    locale: language === "zh" ? "zh-CN" : "en-GB",
    hasTouch: viewport === PHONE,
    isMobile: viewport === PHONE,
    ...more,
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  return { context, page, complaints };
}

export async function signIn(page, { name, password } = admin) {
  await page.goto("/sign-in");
  await page.locator("#name").fill(name);
  await page.locator("#password").fill(password);
  await Promise.all([
    page.waitForURL((url) => url.pathname !== "/sign-in"),
    page.locator("form[action='/sign-in'] button[type=submit]").click(),
  ]);
}

export async function picture(page, name) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: "disabled" });
}
