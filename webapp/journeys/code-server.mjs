// The real VS Code, by code-server, opened from its job's page: a file of the home is changed, its terminal used.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { freshName, gateway, openBrowser, picture, signedIn } from "./browser.mjs";
import { desk } from "./desk.mjs";
import { openFrom } from "./endpoints.mjs";

const FOLDER = process.env.SLUICE_CODE_SERVER ?? "/opt/sluice-test/code-server/bin";
const missing = existsSync(`${FOLDER}/code-server`) ? false : `code-server is not installed in ${FOLDER}`;
const jobName = freshName("code").replaceAll("-", "_");
const file = `${jobName}.md`;
// it has seen what was saved and typed
const COMMAND = `cd; echo first > ${file}; until [ -e ${jobName}.tty ]; do sleep 0.1; done
  grep -q '^changed first' ${file} && grep -q '^42 /dev/pts/' ${jobName}.tty; ended=$?; rm ${jobName}.*; exit $ended`;

/**
 * On one of the roads to apps.
 *
 * @param skip why not, or false
 * @param boxed in a container, which sees it at the same place
 */
export function realCode({ title, skip, boxed = false }) {
  let browser;
  let visit;
  let jobs;
  const why = missing || skip;

  before(async () => {
    if (why) return;
    browser = await openBrowser();
    jobs = await desk();
    const key = await submitted(jobs, boxed);
    visit = await signedIn(browser);
    await visit.page.goto(`/jobs/${key}`);
  });

  after(async () => {
    await jobs?.stop(jobName);
    await browser?.close();
  });

  test(`vs_code_${title}_changes_a_file_previews_it_and_has_a_terminal`, {
    skip: why,
    timeout: 180_000,
  }, async () => {
    const ready = visit.page.locator("#endpoint-code-server .state", { hasText: "ready" });
    await ready.waitFor().catch(async (late) => {
      throw new Error(`${late.message}: ${await visit.page.locator("main").innerText()}`);
    });
    const code = await openFrom(visit.context, visit.page, "code-server");
    const complaints = [];
    code.on("pageerror", (error) => complaints.push(String(error)));
    code.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    await code.getByRole("button", { name: "Yes, I trust the authors" }).click();
    await changed(code);
    // its previews need a worker, which only has a place where the app has a name of its own
    if (new URL(code.url()).hostname !== new URL(gateway).hostname) await previewed(code);
    await code.keyboard.press("Control+Shift+Backquote");
    await code.locator(".terminal-wrapper.active .xterm-screen").click();
    assert.deepEqual(
      complaints.filter((said) => !ITS_OWN.test(said)),
      [],
    );
    await inItsTerminal(code, jobs, title);
  });
}

const submitted = (jobs, boxed) =>
  jobs.submit({
    jobName,
    image: boxed ? "shell:1" : "none",
    extras: {
      sluice: {
        environment: { PATH: `${FOLDER}:/usr/local/bin:/usr/bin:/bin` },
        endpoints: [{ recipe: "code-server" }],
      },
    },
    taskRoles: [
      {
        name: "main",
        cpuNumber: 0,
        memoryMB: 1500,
        command: COMMAND,
      },
    ],
  });

// it says these without a gateway too, as it lacks vsda, a module of Microsoft's; and that no worker for the whole
// address, and none at ports, is let in. On a busy machine that who may change a file before it is saved was too slow,
// and Chromium that something is not loaded, where containers beside it come and go with their networks
const ITS_OWN = new RegExp(
  [
    "/vsda",
    "service ?worker",
    "when fetching the script",
    "An unknown error occurred",
    "Aborted onWillSaveTextDocument-event",
    "net::ERR_NETWORK_CHANGED",
  ].join("|"),
  "i",
);

async function changed(code) {
  await code.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).dblclick();
  await code.locator(".editor-instance .monaco-editor .view-line", { hasText: "first" }).click();
  await code.keyboard.press("Control+Home");
  await code.keyboard.type("changed ");
  await code.keyboard.press("Control+s");
  await code.locator(".tab.active:not(.dirty)", { hasText: file }).waitFor();
}

/** In a page of its own kind, which its own worker serves. */
async function previewed(code) {
  await code.keyboard.press("Control+Shift+v");
  await code.frameLocator("iframe.webview").frameLocator("iframe").getByText("changed first").waitFor();
}

/** Its text is only pixels, and what is typed before the shell is there is lost: the job tells when it has seen it. */
async function inItsTerminal(code, jobs, title) {
  let over = false;
  const ended = jobs.until(jobName, "SUCCEEDED").finally(() => {
    over = true;
  });
  for (let typed = 0; !over; typed++) {
    await code.keyboard.type(`cd; echo $((6*7)) $(tty) > ${jobName}.new; mv ${jobName}.new ${jobName}.tty\n`);
    await code.waitForTimeout(500);
    if (typed === 0) await picture(code, `code-server-${title}`);
  }
  await ended;
}
