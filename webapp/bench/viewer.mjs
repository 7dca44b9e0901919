// The log on the page, measured in Chromium: opening a gibibyte at its end, jumping about in it, following a flood.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { clock, gateway } from "./gateway.mjs";
import { PASSWORD, root, run } from "./measure.mjs";

const BYTES = 2 ** 30;
const LINE = "a line of a log that is as long as most lines of most logs are, more or less";
const PER_SECOND = 100_000;
const BATCH = PER_SECOND / 20;
const FLOOD = `import sys, time
n, begun = 0, time.time()
while n < ${PER_SECOND * 60}:
    sys.stdout.write("".join("line %d loss 0.123456 acc 0.9 of a flood of lines\\n" % (n + i) for i in range(${BATCH})))
    sys.stdout.flush()
    n += ${BATCH}
    time.sleep(max(0, begun + n / ${PER_SECOND} - time.time()))
`;
const chromium = process.env.SLUICE_CHROMIUM ?? "/usr/bin/chromium";

/** What is missing, as a sentence. */
export function withoutChromium() {
  return existsSync(chromium) ? undefined : `there is no ${chromium}; install it, or name another by SLUICE_CHROMIUM`;
}

export async function measureViewer({ opens, jumps, seconds }) {
  const journeys = join(root, "webapp/journeys");
  if (!existsSync(join(journeys, "node_modules"))) await run("npm", ["ci", "--prefix", journeys, "--loglevel=error"]);
  const site = await gateway("viewer");
  process.env.SLUICE_URL = site.address;
  process.env.SLUICE_ADMIN_PASSWORD = PASSWORD;
  const { openBrowser, signedIn } = await import("../journeys/browser.mjs");
  const { logs, open, row } = await import("../journeys/logs.mjs");
  const desk = await logs(site.address);
  const browser = await openBrowser();
  try {
    const { page } = await signedIn(browser);
    const large = await desk.printed(`{ yes '${LINE}' || true; } | head -c ${BYTES}\necho\necho the end`);
    const found = await measureLarge({ page, open, row, large, opens, jumps });
    // the lines of a command lose their indentation
    const name = await desk.printing(`echo ${Buffer.from(FLOOD).toString("base64")} | base64 -d | python3 -`);
    await open(page, name);
    await row(page, "of a flood of lines").waitFor();
    const flood = await measureFlood(page, seconds);
    await desk.stop(name);
    await desk.until(name, "STOPPED");
    return { ...found, ...flood };
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Of what the viewer has measured itself: when it had been painted, since the navigation. */
const painted = async (page, name, times) => {
  await page.waitForFunction(([of, n]) => performance.getEntriesByName(of).length >= n, [name, times]);
  return page.evaluate((of) => {
    const { startTime, duration } = performance.getEntriesByName(of).at(-1);
    return startTime + duration;
  }, name);
};

async function measureLarge({ page, open, row, large, opens, jumps }) {
  await page.addInitScript(() => {
    window.addEventListener("pointerdown", (event) => Object.assign(window, { pressed: event.timeStamp }), true);
  });
  const opened = [];
  for (let i = 0; i <= opens; i++) {
    await open(page, large);
    await row(page, "the end").waitFor();
    opened.push(await painted(page, "log-open", 1));
  }
  const strip = await page.locator("log-view .ruler").boundingBox();
  const jumped = [];
  for (let i = 0; i < jumps; i++) {
    // all over the log, near and far, never twice at the same place
    const part = (0.5 + i * 0.618034) % 1;
    await page.mouse.click(strip.x + strip.width / 2, strip.y + strip.height * (0.01 + 0.97 * part));
    jumped.push((await painted(page, "log-jump", i + 1)) - (await page.evaluate(() => window.pressed)));
  }
  // the first has to load script and styles, and comes to a gateway that has opened no log yet
  return { first: opened[0], opened: opened.slice(1), jumped };
}

/** Frame by frame what the page does while it follows, how many rows it has, and how fast the lines came. */
async function measureFlood(page, seconds) {
  const begun = clock();
  const { gaps, most, first, last } = await page.evaluate(
    (time) =>
      new Promise((done) => {
        const gaps = [];
        let most = 0;
        const rows = () => document.querySelectorAll("log-view .row");
        const number = () => Number(/line (\d+)/.exec([...rows()].at(-1)?.textContent ?? "")?.[1] ?? Number.NaN);
        const first = number();
        let before = performance.now();
        const until = before + time;
        const tick = (now) => {
          gaps.push(now - before);
          before = now;
          most = Math.max(most, rows().length);
          if (now < until) requestAnimationFrame(tick);
          else done({ gaps, most, first, last: number() });
        };
        requestAnimationFrame(tick);
      }),
    seconds * 1000,
  );
  return { frames: gaps, rows: most, rate: ((last - first) / (clock() - begun)) * 1000 };
}
