// Submissions over HTTP, and how soon what was submitted begins, beside Slurm in the same minutes.
import { cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { clock, gateway, job, marks } from "./gateway.mjs";
import { submitted } from "./lean.mjs";
import { percentile, together } from "./measure.mjs";
import { slurm } from "./slurm.mjs";

const CLIENTS = 64;
const FOUR = 4;
const PEER_JOBS = 200;
const BURST = 200;
/** A task that asks for no processor takes a tenth of one. Slurm is told of 256 processors, so there are places for the whole burst in both. */
const ROOM = { SLUICE_JAVA_OPTS: "-XX:ActiveProcessorCount=26" };
const IDLE = "/api/v2/jobs?state=WAITING,RUNNING&limit=1";
/** A task's first instruction. */
const mark = (file) => `echo "$PAI_JOB_NAME $EPOCHREALTIME" >> /userhome/${file}`;

async function perSecond(times, work) {
  const began = clock();
  await work();
  return (times / (clock() - began)) * 1000;
}

/** Submissions per second, round by round, of jobs that have to wait: nothing else is done meanwhile than to take them in. */
export async function measureSubmissions({ rounds, jobs, warm }) {
  const sluice = await gateway("submissions");
  const peer = await slurm();
  await sluice.submit(job("holder", "sleep 3600", { cpu: cpus().length }));
  const [before, after] = job("NAME", "true", { cpu: cpus().length }).split("NAME");
  const ours = (round) =>
    perSecond(jobs, () =>
      submitted(sluice.address, sluice.authorization, CLIENTS, jobs, (n) => `${before}job-${round}-${n}${after}`),
    );
  // a server that serves is warm: what Java has not compiled yet costs it three times as much
  for (let round = 0; round < warm; round++) await ours(`warm${round}`);
  const results = { sluice: [], slurm: [] };
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => results.sluice.push(await ours(round)),
      async () => results.slurm.push(await perSecond(PEER_JOBS, () => together(PEER_JOBS, FOUR, peer.hold))),
    ];
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn();
    await peer.cancel();
    await pause(500);
  }
  await sluice.stopped("admin~holder");
  await sluice.close();
  await peer.close();
  return results;
}

function waits(begun, sent) {
  const all = begun.map(([name, at]) => Number(at) * 1000 - sent.get(name.replace(/^admin~/, "")));
  if (all.some(Number.isNaN)) throw new Error(`tasks began that nobody submitted: ${begun}`);
  return all;
}

async function idle(sluice) {
  while (JSON.parse((await sluice.get(IDLE)).body).length) await pause(50);
}

/** Milliseconds from sending a job to its first instruction: alone, and in bursts by four clients. */
export async function measureBeginnings({ alone, bursts }) {
  const sluice = await gateway("beginnings", { env: ROOM });
  const peer = await slurm();
  const burst = async (file, submit, begun) => {
    const sent = new Map();
    await together(BURST, FOUR, async (n) => {
      sent.set(`${file}-${n}`, clock());
      await submit(`${file}-${n}`, file);
    });
    return percentile(waits(await begun(file, BURST), sent), 0.5);
  };
  const submit = (name, file) => sluice.submit(job(name, mark(file), { cpu: 0, memoryMB: 1 }));
  const begun = (file, count) => marks(sluice.data, file, count);
  const ours = async (file) => {
    const middle = await burst(file, submit, begun);
    await idle(sluice);
    return middle;
  };
  for (let warm = 0; warm < 5; warm++) await ours(`warm${warm}`);
  const results = { alone: [], sluice: [], slurm: [] };
  const sent = new Map();
  for (let n = 0; n < alone; n++) {
    await pause(100);
    sent.set(`alone-${n}`, clock());
    await submit(`alone-${n}`, "alone");
    await begun("alone", n + 1);
  }
  results.alone = waits(await begun("alone", alone), sent);
  for (let round = 0; round < bursts; round++) {
    results.slurm.push(await burst(`slurm${round}`, peer.submit, peer.marks));
    await pause(3000); // its controller has ends to see to
    results.sluice.push(await ours(`burst${round}`));
  }
  await sluice.close();
  await peer.close();
  return results;
}
