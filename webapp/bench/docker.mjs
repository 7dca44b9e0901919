// Jobs as containers, beside `docker run` of the same image on the same engine in the same minutes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { clock, gateway, job, marks } from "./gateway.mjs";
import { javaHome, run, scratch, start, together } from "./measure.mjs";

const IMAGE = "sluice-bench/shell:1";
const PROGRAMS = ["bash", "sleep", "sh", "mkdir", "chmod"];
const IDLE = "/api/v2/jobs?state=WAITING,RUNNING&limit=1";
const QUIET_MS = 300;
/** Networks that a gateway keeps ready for the next job, each held open. */
const READY = 2;
/** That the engine is said to have, where more is to be begun at once than this machine's own have room for: ten tasks for each that ask for none. */
const PROCESSORS = 9;

/** Null when a Docker engine of our own can be run here. */
export function withoutDocker() {
  const missing = ["dockerd", "docker"].filter((name) => spawnSync("which", [name]).status !== 0);
  if (process.getuid() !== 0) missing.push("root");
  return missing.length ? `${missing.join(", ")} not found (Debian package docker.io)` : null;
}

/** An engine of our own, with an image of this machine's shell. */
async function engine() {
  const home = join(scratch, "dockerd");
  mkdirSync(home, { recursive: true });
  const host = `unix://${home}/docker.sock`;
  const folders = ["--data-root", `${home}/data`, "--exec-root", `${home}/exec`, "--pidfile", `${home}/pid`];
  const daemon = start("dockerd", ["--host", host, ...folders, "--bip", "10.214.0.1/24"]);
  const docker = (...args) => run("docker", ["--host", host, ...args]);
  for (const end = clock() + 60_000; !existsSync(join(home, "docker.sock")); await pause(50))
    if (clock() > end) throw new Error("dockerd does not begin");
  writeFileSync(
    join(home, "image.sh"),
    `cd ${home}; mkdir -p root/etc root/tmp root/bin
    for program in ${PROGRAMS.join(" ")}; do p=$(type -P $program); cp -L --parents $p root/; ldd $p | grep -o '/[^ ]*'; done |
      sort -u | while read -r library; do cp -L --parents $library root/; done
    cp -L /bin/bash /bin/sh root/bin/; echo root:x:0:0:root:/root:/bin/bash > root/etc/passwd; tar -C root -c . > image.tar`,
  );
  await run("bash", [join(home, "image.sh")]);
  await docker("import", "--change", "ENV PATH=/usr/local/bin:/usr/bin:/bin", join(home, "image.tar"), IMAGE);
  const close = async () => {
    const ids = spawnSync("docker", ["--host", host, "ps", "-aq"], { encoding: "utf8" }).stdout.trim();
    if (ids) await docker("rm", "-f", ...ids.split("\n"));
    await daemon.stop();
    spawnSync("umount", ["-l", `${home}/data`], { stdio: "ignore" });
    spawnSync(
      "sh",
      [
        "-c",
        `iptables -t mangle -S | grep -e '-i slu+' | sed s/^-A/-D/ | while read -r rule; do iptables -t mangle $rule; done
         for chain in $(iptables -t mangle -S | grep -o '^-N SLUICE-.*' | cut -d' ' -f2); do
           iptables -t mangle -F $chain; iptables -t mangle -X $chain; done
         for chain in INPUT FORWARD; do ip6tables -t mangle -D $chain -i slu+ -j DROP; done`,
      ],
      {
        stdio: "ignore",
      },
    );
  };
  return { host, docker, close, pid: daemon.pid };
}

/** The same engine, which says that it has more processors. */
async function larger(peer) {
  const real = peer.host.replace("unix://", "");
  const path = `${real}.larger`;
  const server = createServer((client) => {
    const engine = connect(real);
    for (const [one, other] of [
      [client, engine],
      [engine, client],
    ])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
    client.once("data", (head) => {
      engine.write(head);
      client.pipe(engine);
      if (!/^GET (\/v[\d.]+)?\/info /.test(head.toString("latin1"))) return engine.pipe(client);
      const parts = [];
      // as many digits as before, so that the length of the answer holds; a machine that has two has room enough
      const said = (text) => text.replace(/"NCPU":\d(?=\D)/, `"NCPU":${PROCESSORS}`);
      engine.on("data", (part) => parts.push(part));
      engine.on("end", () => client.end(Buffer.from(said(Buffer.concat(parts).toString("latin1")), "latin1")));
    });
  });
  await new Promise((resolve) => server.listen(path, resolve));
  return { host: `unix://${path}`, close: () => server.close() };
}

const count = (host, ...words) =>
  spawnSync("docker", ["--host", host, ...words], { encoding: "utf8" })
    .stdout.trim()
    .split("\n")
    .filter(Boolean).length;
const containers = (host) => count(host, "ps", "-aq", "--filter", "label=sluice.run");
const holders = (host) => count(host, "ps", "-aq", "--filter", "name=sluice-holder-");
const networks = (host) => count(host, "network", "ls", "-q", "--filter", "label=sluice.network");

const task = (name, command) => job(name, command, { cpu: 0, memoryMB: 32 }).replace("uri: none", `uri: "${IMAGE}"`);

/** KiB of the heap that the collector leaves and of memory beside the heap; the threads, and the sockets and files that are open. */
function weightOf(pid) {
  const jcmd = join(javaHome(), "bin/jcmd");
  const ask = (...words) => spawnSync(jcmd, [String(pid), ...words], { encoding: "utf8" }).stdout;
  ask("GC.run");
  ask("GC.run");
  const heap = ask("GC.heap_info");
  const used = [...heap.matchAll(/(?:new generation|tenured generation|DefNew|Tenured)\s+total \d+K, used (\d+)K/g)];
  const spaces = [
    ...heap.matchAll(/(?:generation|DefNew|Tenured)\s+total.*\[0x([0-9a-f]+), 0x([0-9a-f]+), 0x([0-9a-f]+)\)/g),
  ].map(([, from, , to]) => [from, to].map((address) => Number.parseInt(address, 16)));
  if (!used.length || !spaces.length) throw new Error(`what the heap holds can not be read: ${heap}`);
  let outside = 0;
  let counts = true;
  for (const line of readFileSync(`/proc/${pid}/smaps`, "utf8").split("\n")) {
    const begins = /^([0-9a-f]+)-[0-9a-f]+ /.exec(line);
    if (begins)
      counts = !spaces.some(
        ([from, to]) => Number.parseInt(begins[1], 16) >= from && Number.parseInt(begins[1], 16) < to,
      );
    else if (counts) outside += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0);
  }
  return {
    heap: used.reduce((sum, [, kib]) => sum + Number(kib), 0),
    outside,
    threads: [...ask("Thread.print").matchAll(/^"([^"]*)"/gm)].map(([, name]) => name),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/**
 * Milliseconds from a client's request to a first instruction, alone and at once, KiB of a container that runs, and what jobs leave behind: one
 * after another, each with its name.
 */
export async function* measureDocker(size) {
  const peer = await engine();
  const large = await larger(peer);
  try {
    yield* within(peer, peer.host, "docker", size, alone);
    yield* within(peer, large.host, "docker-large", size, many);
    yield* within(peer, peer.host, "docker-left", size, left);
  } finally {
    large.close();
    await peer.close();
  }
}

/** With a gateway of its own. */
async function* within(peer, host, name, size, part) {
  const sluice = await gateway(name, { flags: ["--engine", "docker", "--docker-host", host] });
  try {
    const calm = async () => networks(peer.host) >= READY && holders(peer.host) >= READY;
    // what is made ahead for the next job is made in nobody's time: neither in ours nor in that of whom we are beside
    const idle = async () => {
      while (JSON.parse((await sluice.get(IDLE)).body).length || containers(peer.host) || !(await calm()))
        await pause(50);
      await pause(QUIET_MS);
    };
    yield* part(peer, sluice, size, idle);
  } finally {
    await sluice.close();
  }
}

async function* alone(peer, sluice, { rounds }, idle) {
  const home = join(sluice.data, "homes/admin");
  const ours = async (name) => {
    const sent = clock();
    await sluice.submit(task(name, 'echo "$PAI_JOB_NAME $EPOCHREALTIME" >> /userhome/one'));
    ours.count = (ours.count ?? 0) + 1;
    const [, at] = (await marks(sluice.data, "one", ours.count)).at(-1);
    await idle();
    return Number(at) * 1000 - sent;
  };
  const theirs = async (name, file = "peer", ...network) => {
    const sent = clock();
    theirs[file] = (theirs[file] ?? 0) + 1;
    await peer.docker(
      ...["run", "-d", "--name", name, "--memory", "32m", "-v", `${home}:/userhome`, ...network, IMAGE],
      ...["bash", "-c", `echo "${name} $EPOCHREALTIME" >> /userhome/${file}`],
    );
    const [, at] = (await marks(sluice.data, file, theirs[file])).at(-1);
    await peer.docker("rm", "-f", name);
    await pause(QUIET_MS);
    return Number(at) * 1000 - sent;
  };
  await peer.docker("network", "create", "--subnet", "10.212.200.0/25", "ready");
  const apart = (name) => theirs(name, "apart", "--network", "ready");
  const results = { ours: [], theirs: [], apart: [] };
  for (const warm of ["a", "b", "c"]) {
    await ours(`warm-${warm}`);
    await theirs(`warm-${warm}`);
    await apart(`warm-apart-${warm}`);
  }
  for (let round = 0; round < rounds; round++) {
    const turns = [
      async () => results.ours.push(await ours(`alone-${round}`)),
      async () => results.theirs.push(await theirs(`peer-${round}`)),
      async () => results.apart.push(await apart(`apart-${round}`)),
    ];
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn();
  }
  await peer.docker("network", "rm", "ready");
  yield ["alone", results];
}

async function* many(peer, sluice, { bursts, burst, running }, idle) {
  const home = join(sluice.data, "homes/admin");
  // at once: until the last of them has begun
  const last = async (file, begin) => {
    const sent = clock();
    await together(burst, burst, begin);
    const at = (await marks(sluice.data, file, burst, 120)).map(([, when]) => Number(when) * 1000);
    return Math.max(...at) - sent;
  };
  const ourBurst = async (round) => {
    const time = await last(`burst${round}`, (n) =>
      sluice.submit(task(`burst-${round}-${n}`, `echo "$PAI_JOB_NAME $EPOCHREALTIME" >> /userhome/burst${round}`)),
    );
    await idle();
    return time;
  };
  // the same work for the engine: a network of its own for each, and a container in it
  const all = Array.from({ length: burst }, (_, n) => `peer-burst-${n}`);
  const begins = (n, file, ...network) =>
    peer.docker(
      ...["run", "-d", "--name", all[n], "--memory", "32m", "-v", `${home}:/userhome`, ...network, IMAGE],
      ...["bash", "-c", `echo "${n} $EPOCHREALTIME" >> /userhome/${file}`],
    );
  const peerBurst = async (round) => {
    const time = await last(`peerburst${round}`, async (n) => {
      await peer.docker("network", "create", "--subnet", `10.212.${n}.0/25`, all[n]);
      await begins(n, `peerburst${round}`, "--network", all[n]);
    });
    await peer.docker("rm", "-f", ...all);
    await peer.docker("network", "rm", ...all);
    return time;
  };
  const sharedBurst = async (round) => {
    const time = await last(`sharedburst${round}`, (n) => begins(n, `sharedburst${round}`));
    await peer.docker("rm", "-f", ...all);
    return time;
  };
  const atOnce = { ours: [], peers: [], shared: [] };
  for (let round = 0; round < bursts; round++) {
    const turns = [
      async () => atOnce.ours.push(await ourBurst(round)),
      async () => atOnce.peers.push(await peerBurst(round)),
      async () => atOnce.shared.push(await sharedBurst(round)),
    ];
    for (const turn of round % 2 ? turns.toReversed() : turns) await turn();
  }

  yield ["bursts", atOnce];

  // the first time what is made once for all is made, and compiled
  const runs = async (round) => {
    const before = weightOf(sluice.child.pid);
    await together(running, 8, (n) =>
      sluice.submit(task(`runs-${round}-${n}`, `echo up >> /userhome/runs-${round}; exec sleep 3600`)),
    );
    await marks(sluice.data, `runs-${round}`, running, 180);
    await pause(2000);
    const during = weightOf(sluice.child.pid);
    await together(running, 8, (n) => sluice.stopped(`admin~runs-${round}-${n}`));
    await idle();
    return { heap: (during.heap - before.heap) / running, outside: (during.outside - before.outside) / running };
  };
  await runs("first");
  yield ["running", await runs("again")];
}

async function* left(peer, sluice, { jobs, burst }, idle) {
  await sluice.submit(task("warm", "true"));
  await idle();
  const at = weightOf(sluice.child.pid);
  let again = 0;
  // as a client does that is told to come again: the database, too, has other work on a machine that is full
  const submitted = async (text) => {
    for (const end = clock() + 60_000; ; await pause(500)) {
      try {
        return await sluice.submit(text);
      } catch (refused) {
        if (!/ answers 503/.test(refused.message) || clock() > end) throw refused;
        again++;
      }
    }
  };
  for (let begun = 0; begun < jobs; begun += burst) {
    await together(Math.min(burst, jobs - begun), 8, (n) =>
      submitted(task(`many-${begun + n}`, "echo x >> /userhome/many")),
    );
    await marks(sluice.data, "many", Math.min(begun + burst, jobs), 180);
  }
  await idle();
  const after = weightOf(sluice.child.pid);
  const rest = {
    containers: containers(peer.host) + Math.max(0, holders(peer.host) - READY),
    networks: Math.max(0, networks(peer.host) - READY),
    volumes: count(peer.host, "volume", "ls", "-q"),
    threads: after.threads.filter((name) => !at.threads.includes(name)),
    files: after.files - at.files,
    again,
    records: ["stops", "runs"].reduce(
      (sum, name) => sum + readdirSync(join(sluice.data, "engine/docker", name)).length,
      0,
    ),
  };
  yield ["left", rest];
}
