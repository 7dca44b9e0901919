// Jobs on eight NPUs, which are simulated: charts, the log beside them, the cluster's page, jobs that do nothing, Grafana in the charts' place.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { standIn } from "./grafana-stand-in.mjs";

const address = process.env.SLUICE_DEVICES_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
/** Where that gateway looks for Grafana; nobody listens there but a test that stands in for it. */
const port = Number(process.env.SLUICE_GRAFANA_PORT);
const { violations } = await import("./axe.mjs");
const { admin, DESKTOP, freshName, gateway, openBrowser, opener, PHONE, picture, signedIn } = await import(
  "./browser.mjs"
);
const { desk } = await import("./desk.mjs");

const needed = { skip: !address && "SLUICE_DEVICES_URL names no gateway" };
// as long as it takes to look at its devices a few times
const WORK = "for i in $(seq 1 60); do echo step $i; sleep 0.25; done";
const LOOKS = [
  { viewport: DESKTOP, theme: "light", language: "en" },
  { viewport: DESKTOP, theme: "dark", language: "zh" },
  { viewport: PHONE, theme: "dark", language: "en" },
  { viewport: PHONE, theme: "light", language: "zh" },
];
const called = ({ viewport, theme, language }) => `${viewport === PHONE ? "phone" : "desktop"}-${theme}-${language}`;

let browser;
let jobs;
let over;
let running;
before(async () => {
  if (!address) return;
  browser = await openBrowser();
  jobs = await desk();
  over = await submitted("trained", WORK, "RUNNING", { devices: 2, gpuType: "H100" });
  running = await submitted("trains", "i=0; while true; do i=$((i+1)); echo step $i; sleep 0.2; done", "RUNNING");
});
after(async () => {
  if (running) await jobs.stop(nameOf(running));
  await browser?.close();
});

const nameOf = (key) => key.split("~")[1];

async function submitted(stem, command, state, { devices = 8, gpuType = "Ascend910B", cluster = "default" } = {}) {
  const jobName = freshName(stem).replaceAll("-", "_");
  const key = await jobs.submit({
    jobName,
    image: "none",
    gpuType,
    virtualCluster: cluster,
    taskRoles: [{ name: "main", taskNumber: 1, cpuNumber: 0, memoryMB: 64, gpuNumber: devices, command }],
  });
  await jobs.until(jobName, state).catch(async (late) => {
    await jobs.stop(jobName);
    throw late;
  });
  return key;
}

/** Until the gateway has looked at its devices: what is said of a job that it has not seen is forgotten as a former one's. */
async function seen(key) {
  const headers = { Authorization: `Bearer ${jobs.token}` };
  const looks = async () => (await fetch(`${gateway}/api/v2/devices`, { headers })).json();
  for (const end = Date.now() + 30_000; !(await looks()).some(({ job }) => job === key); ) {
    assert.ok(Date.now() < end, `no device is seen with ${key}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const panel = "turbo-frame#panel-metrics";

/** The job's page with all of its charts drawn. */
async function charts(page, key, count = 7) {
  await page.goto(`/jobs/${key}`);
  await page.locator(panel).scrollIntoViewIfNeeded();
  await page
    .locator("device-chart[ready] .chart")
    .nth(count - 1)
    .waitFor();
  await page.waitForFunction(() => /\d/.test(document.querySelector(".chart-values")?.textContent ?? ""));
}

async function fits(page) {
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(wide <= screen, `${wide} px wide on a screen of ${screen}`);
}

/** What is drawn, so that a change of it is seen. */
const drawn = (page) =>
  page
    .locator("device-chart .chart canvas")
    .first()
    .evaluate((canvas) => canvas.toDataURL());

for (const look of LOOKS)
  test(`charts_of_eight_simulated_devices_say_so_${called(look)}`, needed, async () => {
    const { page, context, complaints } = await signedIn(browser, look);
    await charts(page, running);
    const load = page.locator("device-chart .chart").first();
    assert.equal(await load.locator(".chart-values > span").count(), 8);
    assert.equal(await load.locator(".chip").count(), 1, "it says that they are simulated");
    await load.locator(".u-over").hover({ position: { x: 60, y: 30 } });
    await picture(page, `charts-${called(look)}`);
    await page
      .locator(panel)
      .screenshot({ path: new URL(`../target/screenshots/panel-${called(look)}.png`, import.meta.url).pathname });
    await fits(page);
    if (look.language === "en") assert.deepEqual(await violations(page), []);
    assert.deepEqual(complaints, []);
    await context.close();
  });

test("a_click_on_a_chart_shows_the_line_of_that_second_and_a_marked_line_the_place_in_the_charts", needed, async () => {
  const { page, context, complaints } = await signedIn(browser);
  await jobs.until(nameOf(over), "SUCCEEDED");
  await charts(page, over);
  await page.locator("#panel-log").scrollIntoViewIfNeeded();
  await page.locator("log-view[ready] .row", { hasText: "step 60" }).first().waitFor();
  const before = await drawn(page);
  const area = page.locator("device-chart .chart .u-over").first();
  const box = await area.boundingBox();
  await area.click({ position: { x: box.width * 0.5, y: 30 } });
  const row = page.locator("log-view .row.target");
  await row.waitFor();
  assert.match(await row.locator(".text").innerText(), /^step \d+$/);
  const clicked = await drawn(page);
  assert.notEqual(clicked, before, "the charts show where it was clicked");
  // another line than that
  const other = page
    .locator("log-view .row:not(.target)", { has: page.locator(".text", { hasText: /^step 5\d$/ }) })
    .first();
  await other.hover();
  await other.locator("a").first().click();
  await page.waitForFunction(
    (known) => document.querySelector("device-chart .chart canvas").toDataURL() !== known,
    clicked,
  );
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the_list_of_jobs_draws_what_the_devices_of_a_running_job_do", needed, async () => {
  const { page, context, complaints } = await signedIn(browser);
  await page.goto("/jobs");
  const line = page
    .locator(".job-row, tr", { hasText: nameOf(running) })
    .locator("svg polyline, svg.spark")
    .first();
  await line.waitFor();
  await picture(page, "jobs-usage");
  assert.deepEqual(complaints, []);
  await context.close();
});

for (const look of LOOKS)
  test(`the_cluster_page_shows_each_device_and_who_has_it_${called(look)}`, needed, async () => {
    const { page, context, complaints } = await signedIn(browser, look);
    await page.goto("/cluster");
    const tiles = page.locator(".device-tile");
    await tiles
      .filter({ hasText: nameOf(running) })
      .nth(7)
      .waitFor();
    assert.equal(await tiles.count(), 12);
    assert.equal(await tiles.locator(".chip").count(), 12, "each says that it is simulated");
    const free = page.locator(".device-tile.free");
    // those of a job that has just ended, too, as soon as the page hears of it: a few rounds of 5 s
    await free
      .nth(3)
      .waitFor({ timeout: 20_000 })
      .catch(async (late) => {
        throw new Error(`${late.message}: ${(await tiles.allInnerTexts()).join(" | ")}`);
      });
    assert.equal(await free.count(), 4);
    await picture(page, `cluster-${called(look)}`);
    await fits(page);
    if (look.language === "en") assert.deepEqual(await violations(page), []);
    assert.deepEqual(complaints, []);
    await context.close();
  });

/** In the gateway's own database, where nobody waits half an hour for a job to be idle. */
function sql(statement) {
  const data = process.env.SLUICE_DEVICES_DATA;
  const place = readFileSync(join(data, "postgres/postmaster.pid"), "utf8").split("\n")[3];
  const password = readFileSync(join(data, "postgres/sluice-password"), "utf8").trim();
  const url = `postgresql://sluice:${password}@127.0.0.1:${place}/postgres`;
  return execFileSync("psql", ["-qtA", "-d", url, "-c", statement], { encoding: "utf8" }).trim();
}

test("whoever_is_warned_of_idle_devices_keeps_the_job_with_one_click", needed, async () => {
  const { page, context, complaints } = await signedIn(browser);
  const cluster = freshName("lab").replaceAll("-", "_");
  await page.goto("/virtual-clusters");
  await page.locator(opener("new-cluster")).click();
  await page.locator("#new-name").fill(cluster);
  await page.locator("#new-idle-then").selectOption("stop");
  await page.locator("#new-idle-minutes").fill("45");
  await page.locator("#new-cluster fieldset.idle-rule").scrollIntoViewIfNeeded();
  await picture(page, "idle-rule");
  await page.locator("#new-cluster button[type=submit]").click();
  await page.locator(".notice.good").waitFor();
  const rests = { devices: 2, gpuType: "H100", cluster };
  const key = await submitted("rests", "sleep 600", "RUNNING", rests);
  try {
    await seen(key);
    // after the last look at it, so that what it did before counts for nothing
    const stored = sql(
      `INSERT INTO idle_jobs (job_id, attempt, cluster, quiet_ms, level, seen, warned, minutes, action, due, keep_hours)
     SELECT id, attempt, virtual_cluster, 2700000, 0, now(), now() + interval '1 hour', 45, 'STOP', now() + interval '2 hours', 8
     FROM jobs WHERE name = '${nameOf(key)}'
     ON CONFLICT (job_id) DO UPDATE SET warned = excluded.warned, minutes = 45, action = 'STOP', due = excluded.due, keep_hours = 8
     RETURNING 1`,
    );
    assert.equal(stored, "1");
    await page.goto(`/jobs/${key}`);
    const banner = page.locator(".notice", { hasText: "done nothing for 45 minutes" });
    await banner.waitFor();
    await picture(page, "idle-warned");
    assert.deepEqual(await violations(page), []);
    await banner.getByRole("button", { name: "Keep it for 8 hours" }).click();
    await page
      .locator(".notice", { hasText: `${admin.name} keeps it` })
      .waitFor()
      .catch(async (late) => {
        throw new Error(`${late.message}: ${await page.locator("main").innerText()} ${complaints.join("\n")}`);
      });
    await picture(page, "idle-kept");
    assert.equal(await banner.count(), 0);
    assert.deepEqual(complaints, []);
  } finally {
    // its devices are for whoever comes next; what failed before is what is told
    await jobs.stop(nameOf(key)).catch((failure) => console.error(failure));
  }
  await context.close();
});

const toGrafana = `${panel} a[data-follows-time]`;
const said = (page) => page.frameLocator("grafana-board iframe").getByText("Stand-in for Grafana");

for (const look of [LOOKS[0], LOOKS[3]])
  test(`grafana_in_the_place_of_the_charts_follows_job_theme_and_language_${called(look)}`, needed, async () => {
    const grafana = await standIn(port);
    const { page, context, complaints } = await signedIn(browser, look);
    await charts(page, running);
    await page.locator(toGrafana).click();
    await said(page).waitFor();
    const { url, user } = grafana.asked[0];
    assert.equal(user, admin.name);
    assert.equal(url.searchParams.get("var-job"), running);
    assert.equal(url.searchParams.get("theme"), look.theme);
    assert.equal(url.searchParams.get("lang"), look.language === "zh" ? "zh-Hans" : "en-US");
    assert.equal(url.searchParams.get("to"), "now");
    assert.ok(Date.now() - Number(url.searchParams.get("from")) < 3_600_000);
    await page.locator("grafana-board").scrollIntoViewIfNeeded();
    await picture(page, `grafana-${called(look)}`);
    await fits(page);
    if (look.language === "en") assert.deepEqual(await violations(page), []);
    // the theme is chosen anew while it is seen
    grafana.asked.length = 0;
    const other = look.theme === "dark" ? "light" : "dark";
    await page.emulateMedia({ colorScheme: other });
    await page.waitForFunction(
      (theme) => document.querySelector("grafana-board iframe").src.endsWith(`theme=${theme}`),
      other,
    );
    await said(page).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
    await grafana.close();
  });

test("grafana_shows_the_time_that_the_charts_are_zoomed_to", needed, async () => {
  const grafana = await standIn(port);
  const { page, context } = await signedIn(browser);
  await charts(page, running);
  const area = page.locator("device-chart .chart .u-over").first();
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 20, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction((link) => /from=\d+&to=\d+/.test(document.querySelector(link).href), toGrafana);
  const zoom = new URL(await page.locator(toGrafana).getAttribute("href"), page.url()).searchParams;
  await page.locator(toGrafana).click();
  await said(page).waitFor();
  const { url } = grafana.asked[0];
  assert.equal(url.searchParams.get("from"), zoom.get("from"));
  assert.equal(url.searchParams.get("to"), zoom.get("to"));
  await context.close();
  await grafana.close();
});

test("where_grafana_goes_away_the_built_in_charts_stand_in_and_say_so", needed, async () => {
  const grafana = await standIn(port);
  const { page, context } = await signedIn(browser);
  await charts(page, running);
  await page.locator(toGrafana).click();
  await said(page).waitFor();
  await grafana.close();
  await page.locator(`${panel} .meter-trouble`).getByText("Grafana does not answer").waitFor();
  await page.locator(`${panel} device-chart[ready]`).waitFor();
  assert.equal(await page.locator("grafana-board").count(), 0);
  await picture(page, "grafana-away");
  await context.close();
});
