// One Chromium for a journey, and what every journey does with it.
import { mkdirSync } from "node:fs";
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
// of several such flags the last one counts: Playwright's own, and then the two pages that the address bar of each window has,
// hidden here, for half of the processor that a page takes
const WITHOUT = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "WebUIOmniboxPopup",
];
const FLAGS = [
  "--no-sandbox",
  "--headless=new",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  `--disable-features=${WITHOUT}`,
];

/** Starts Chromium with a profile of its own; `port` opens its debugging port, for Lighthouse. */
export function openBrowser({ port } = {}) {
  return chromium.launch({
    executablePath: process.env.SLUICE_CHROMIUM ?? "/usr/bin/chromium",
    // the headless flag of ours is the new mode; Playwright's own would be the old one
    ignoreDefaultArgs: ["--headless", "--headless=old"],
    args: [...FLAGS, ...(port ? [`--remote-debugging-port=${port}`] : [])],
  });
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
  context.setDefaultTimeout(60_000);
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

/** A visitor who is signed in as the administrator. */
export async function signedIn(browser, options) {
  const visit = await visitor(browser, options);
  await signIn(visit.page);
  return visit;
}

/** The button that opens a popover; the ones inside that close it name it too. */
export const opener = (id) => `button[popovertarget=${id}]:not([popovertargetaction])`;

let made = 0;

/** A name that nobody has yet, however often the journeys run against the same gateway. */
export function freshName(stem) {
  return `${stem}-${Date.now().toString(36)}${made++}`;
}

/** Adds somebody through the form on the people page. */
export async function addPerson(page, { name, password, email = "", groups = "" }) {
  await page.goto("/people");
  await page.locator(opener("new-person")).click();
  await page.locator("#new-name").fill(name);
  await page.locator("#new-password").fill(password);
  await page.locator("#new-email").fill(email);
  await page.locator("#new-groups").fill(groups);
  await page.locator("#new-person button[type=submit]").click();
  await page.locator(".notice.good").waitFor();
}

/** Somebody new, signed in: what they choose for themselves changes nothing for another journey. */
export async function newcomer(browser, options) {
  const person = { name: freshName("guest"), password: "a first password" };
  const boss = await signedIn(browser);
  await addPerson(boss.page, person);
  await boss.context.close();
  const visit = await visitor(browser, options);
  await signIn(visit.page, person);
  return { ...visit, person };
}

/** What is in the window; `whole` is the page from top to bottom, where nothing in it is fixed to the window. */
export async function picture(page, name, { whole = false } = {}) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: whole, animations: "disabled" });
}
