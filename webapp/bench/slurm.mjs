// Slurm on this machine, from Debian's packages: the peer that jobs are measured against. 256 declared processors, so that nothing waits for room.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { clock } from "./gateway.mjs";
import { run, scratch, start } from "./measure.mjs";

const PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "sinfo"];
const PACKAGES = ["slurm-wlm", "munge"];

const missing = () => PROGRAMS.filter((name) => spawnSync("which", [name]).status !== 0);

/** Null when it is there, or could be installed; else what is missing. */
export function withoutSlurm() {
  if (missing().length && process.getuid() === 0 && existsSync("/usr/bin/apt-get"))
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...PACKAGES], { stdio: "ignore" });
  return missing().length ? `${missing().join(", ")} not found (Debian packages ${PACKAGES.join(", ")})` : null;
}

// its daemons bind to the address of the machine's name, which need not be one of this machine's
const asLocalhost = (...command) => ["--uts", "sh", "-c", 'hostname localhost && exec "$@"', "-", ...command];

const configuration = (folder, port) => `ClusterName=bench
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${port}
SlurmdPort=${port + 1}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=${folder}/munge.sock
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/controller.pid
SlurmdPidFile=${folder}/node.pid
SlurmctldLogFile=${folder}/controller.log
SlurmdLogFile=${folder}/node.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=localhost NodeAddr=127.0.0.1 CPUs=256 State=UNKNOWN
PartitionName=bench Nodes=localhost Default=YES MaxTime=INFINITE State=UP
`;

export async function slurm() {
  const folder = join(scratch, "slurm");
  for (const part of ["state", "spool", "out"]) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "key"), randomBytes(128), { mode: 0o600 });
  writeFileSync(join(folder, "slurm.conf"), configuration(folder, 16817 + (process.pid % 1000) * 2));
  writeFileSync(join(folder, "cgroup.conf"), "");
  writeFileSync(join(folder, "job.sh"), `#!/bin/bash\necho "$1 $EPOCHREALTIME" >> ${folder}/out/$2\n`);
  const env = { SLURM_CONF: join(folder, "slurm.conf") };
  const file = (name) => `--${name.replace(/\..*/, "")}-file=${join(folder, name)}`;
  const munge = [
    "--foreground",
    "--force",
    `--socket=${folder}/munge.sock`,
    file("pid"),
    file("log"),
    file("seed"),
    file("key"),
  ];
  const programs = [start("munged", munge, { env })];
  while (!existsSync(join(folder, "munge.sock"))) await pause(20);
  for (const command of [
    ["slurmctld", "-D"],
    ["slurmd", "-D", "-N", "localhost"],
  ])
    programs.push(start("unshare", asLocalhost(...command), { env }));
  const states = () =>
    spawnSync("sinfo", ["-h", "-o", "%T"], { env: { ...process.env, ...env }, encoding: "utf8", timeout: 5000 });
  for (let tries = 0; !states().stdout?.includes("idle"); tries++) {
    if (tries > 100) throw new Error(`Slurm does not begin to serve; see ${folder} (kept)`);
    await pause(200);
  }
  const sbatch = (...args) => run("sbatch", ["-Q", "-o", "/dev/null", ...args], { env });
  return {
    /** Held, so that submitting is all that is done. */
    hold: () => sbatch("--hold", join(folder, "job.sh"), "held", "held"),
    submit: (name, mark) => sbatch(join(folder, "job.sh"), name, mark),
    /** When jobs have begun, by name. */
    async marks(mark, count) {
      const path = join(folder, "out", mark);
      for (const end = clock() + 60_000; clock() < end; await pause(5)) {
        const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
        if (lines.length >= count) return lines.map((line) => line.split(" "));
      }
      throw new Error(`Slurm should have begun ${count} jobs within a minute; see ${folder} (kept)`);
    },
    cancel: () => run("scancel", ["-u", "root"], { env }),
    async close() {
      for (const program of programs.toReversed()) await program.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
