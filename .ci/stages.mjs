// The stages of a check and their tally.
import { basename, join } from "node:path";
import { command, Failure, putAway, scratch } from "./processes.mjs";
import { tallyOf } from "./reports.mjs";

const began = performance.now();
const total = { passed: 0, failed: 0, skipped: 0 };
let unsteady = 0;
const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

export const secondsSoFar = () => Number(seconds(began));

export class Skipped extends Error {}

export const say = (text) => console.log(`${seconds(began).padStart(6)} s  ${text}`);

/** Adds to the closing line what a report counted, and says it in words. */
export function counted(part) {
  for (const kind of Object.keys(total)) total[kind] += part[kind] ?? 0;
  unsteady += part.unsteady ?? 0;
  const again = part.unsteady ? ` (${part.unsteady} of them when run again)` : "";
  return `${part.passed} passed${again}, ${part.failed} failed, ${part.skipped} skipped`;
}

/** A stage that breaks down is a failure of its own, also where every test it got to had passed. */
export async function stage(name, work) {
  const start = performance.now();
  say(`${name} …`);
  try {
    const told = await work();
    say(`${name}: ${told} (${seconds(start)} s)`);
  } catch (fault) {
    const skipped = fault instanceof Skipped;
    counted(skipped ? { skipped: 1 } : { failed: 1 });
    say(
      `${name}: ${skipped ? "skipped" : "FAILED"}: ${skipped || fault instanceof Failure ? fault.message : fault.stack}`,
    );
  }
}

/**
 * Runs files of node:test in lanes beside one another, in each one after the other; one that fails runs once more, whole.
 * The `rounds` follow one another, each a list of lanes. A lane has `lists` of files and what those find in their `env`; of a list
 * that several lanes have, each takes the next file when it gets free. A file may be a function, which waits for what
 * the file tries, and tells the file, or nothing where that can not be had.
 */
export async function nodeTests(rounds, options) {
  const sum = { passed: 0, failed: 0, skipped: 0, unsteady: 0 };
  for (const lanes of rounds) await Promise.all(lanes.map((one) => lane(one, options, sum)));
  if (sum.passed + sum.failed + sum.skipped === 0) throw new Failure("no test ran");
  return counted(sum);
}

async function lane({ lists, env }, { name, ...common }, sum) {
  const options = { ...common, env: { ...common.env, ...env } };
  const next = () => lists.find((files) => files.length > 0)?.shift();
  for (let coming = next(); coming; coming = next()) {
    const file = typeof coming === "function" ? await coming() : coming;
    if (!file) continue;
    const title = `${name}-${basename(file, ".mjs")}`;
    const start = performance.now();
    let tally = await nodeTest(file, { name: title, ...options });
    if (tally.failed > 0) {
      const again = await nodeTest(file, { name: `${title}-again`, ...options });
      if (again.failed === 0) {
        for (const one of tally.faults) say(`UNSTEADY ${one}: passed when it ran again`);
        tally = { ...again, unsteady: tally.failed };
      }
    }
    for (const kind of Object.keys(sum)) sum[kind] += tally[kind];
    say(`  ${title}: ${tally.passed} passed (${seconds(start)} s)`);
  }
}

async function nodeTest(file, { name, env, cwd, limit, onLine }) {
  const report = join(scratch, `${name}.xml`);
  const reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"];
  reporters.push("--test-reporter=junit", `--test-reporter-destination=${report}`);
  const log = join(scratch, `${name}.log`);
  const allow = [0, 1];
  const code = await command(process.execPath, ["--test", ...reporters, file], { env, cwd, limit, log, onLine, allow });
  const faults = [];
  const tally = tallyOf(report, (line) => {
    if (line.startsWith("FAILED ")) faults.push(line.slice("FAILED ".length));
    say(line);
  });
  if (code !== 0 && tally.failed === 0)
    throw new Failure(`the tests ended with ${code}, though none is reported as failed; see ${log}`);
  return { ...tally, faults };
}

/** Prints the one closing line; with `strict`, a skip counts as a failure. */
export async function finish({ strict }) {
  await putAway();
  const forbidden = strict && total.skipped > 0;
  if (forbidden) say("nothing may be skipped here (--no-skips)");
  if (unsteady > 0) say(`unsteady, and to be repaired: ${unsteady}; they are named above with what they failed by at first`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed > 0 || total.passed === 0 || forbidden ? 1 : 0;
}
