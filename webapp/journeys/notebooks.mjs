// The real JupyterLab, TensorBoard and Streamlit, Debian's notebook, an app that streams and one with absolute links, opened from
// their job's page by a browser.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { inApps, inClassic, inStreamlit, inTensorBoard } from "./apps.mjs";
import { freshName, openBrowser, signedIn } from "./browser.mjs";
import { layCable } from "./cable.mjs";
import { desk } from "./desk.mjs";
import { openFrom } from "./endpoints.mjs";
import { goesOn, openedLab } from "./lab.mjs";
import { freePort, portsOf } from "./ports.mjs";

const APPS = "/opt/sluice-test/apps";
const has = (path) => existsSync(`${APPS}/${path}`);
export const missing = has("bin/jupyter-lab") ? false : `JupyterLab is not installed in ${APPS}`;
export const PATH = `${APPS}/bin:/usr/local/bin:/usr/bin:/bin`;
const STREAMLIT = has("bin/streamlit");
const PLOTS = has("lib") && readdirSync(`${APPS}/lib`).some((python) => has(`lib/${python}/site-packages/matplotlib`));
// what people wait for in earnest; a shorter time is for who writes these journeys
const AWAY_SECONDS = Number(process.env.SLUICE_AWAY ?? 60);
const MEGABYTES = 200;
const fixture = (name) => readFileSync(new URL(`real/${name}`, import.meta.url)).toString("base64");
const written = (...names) => names.map((name) => `echo ${fixture(name)} | base64 -d > ${name}`).join("; ");

/** A job with all of them, and its owner in front of its page: at home, and where the network can be cut. */
export async function furnished({ title, boxed = false, classic = false, range = "" }) {
  const browser = await openBrowser();
  const [streams, links] = [await freePort(), await freePort()];
  const jobName = freshName("lab").replaceAll("-", "_");
  const jobs = await desk();
  const host = boxed ? "0.0.0.0" : "127.0.0.1";
  const files = written("runs.py", "apps.py", "dashboard.py");
  const command = `mkdir -p ~/runs ~/${jobName}; cd ~/${jobName}; ${files}; python runs.py ~/runs/${jobName} && exec python apps.py ${host} ${streams} ${links}`;
  const endpoints = [
    { recipe: "jupyterlab" },
    { recipe: "tensorboard", options: { logdir: `~/runs/${jobName}` } },
    { recipe: "port", name: "streams", port: `${streams}` },
    { recipe: "port", name: "links", port: `${links}` },
    ...(STREAMLIT ? [{ recipe: "streamlit", options: { script: `/userhome/${jobName}/dashboard.py` } }] : []),
    ...(classic ? [{ recipe: "notebook" }] : []),
  ];
  const key = await jobs.submit({
    jobName,
    image: boxed ? "python:1" : "none",
    extras: { sluice: { environment: { PATH }, endpoints } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 2000, command }],
  });
  const visit = async (options) => {
    const { page, context } = await signedIn(browser, options);
    await page.goto(`/jobs/${key}`);
    return { page, context, title, name: jobName, open: (name) => openFrom(context, page, name) };
  };
  return {
    visit,
    /** Of somebody on the road. */
    async away() {
      const cable = await layCable({ ports: range ? portsOf(range) : [] });
      return { ...(await visit({ baseURL: cable.origin })), cable, plots: PLOTS };
    },
    async close() {
      await jobs.stop(jobName);
      await browser.close();
    },
  };
}

/**
 * All of them, on one of the roads to apps.
 *
 * @param skip why not, or false
 * @param range of the ports where each app has one of its own
 */
export function realApps({ title, skip, ...how }) {
  let home;
  let stage;
  let road;
  let lab;
  let closed;
  const why = missing || skip;
  before(async () => {
    if (why) return;
    home = await furnished({ title, ...how });
    stage = await home.visit();
  });
  after(async () => {
    road?.cable.close();
    await home?.close();
  });

  test(`a_notebook_${title}_computes_draws_and_takes_${MEGABYTES}_megabytes`, { skip: why }, async () => {
    road = await home.away();
    lab = await openedLab(road, MEGABYTES);
    road.cable.sleep();
    closed = performance.now();
    await stage.page.locator("#endpoint-jupyterlab form.check button").click();
  });

  test(`apps_that_stream_and_apps_with_absolute_links_work_${title}`, { skip: why }, () => inApps(stage));

  test(`tensorboard_shows_scalars_pictures_and_the_projector_${title}`, { skip: why }, () => inTensorBoard(stage));

  if (STREAMLIT) test(`streamlit_streams_answers_and_takes_a_file_${title}`, { skip: why }, () => inStreamlit(stage));

  if (how.classic) test(`debians_notebook_runs_a_cell_${title}`, { skip: why }, () => inClassic(stage));

  test(`a_notebook_${title}_goes_on_after_a_minute_away`, { skip: why }, async () => {
    const left = AWAY_SECONDS * 1_000 - (performance.now() - closed);
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    road.cable.wake();
    await goesOn(lab);
  });

  test(`the_check_of_a_notebook_${title}_walks_the_whole_way_and_is_silent_for_a_minute`, { skip: why }, async () => {
    const checked = stage.page.locator("#endpoint-jupyterlab .checked");
    await checked.locator(".state.good").waitFor({ timeout: 90_000 });
    assert.match(await checked.innerText(), /silent for 60 s, and it still answers/);
  });
}
