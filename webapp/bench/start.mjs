// How soon the gateway serves, beside the parts that it can not do without: a bare Vert.x server and its PostgreSQL.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  freePort,
  interleaved,
  jar,
  java,
  javaHome,
  launch,
  PASSWORD,
  root,
  scratch,
  start,
  timeToAnswer,
} from "./measure.mjs";

const data = join(scratch, "start");
const env = { SLUICE_ADMIN_PASSWORD: PASSWORD };
const asRoot = process.getuid() === 0 ? ["unshare", "-U"] : []; // PostgreSQL refuses to be root

/** PostgreSQL's own program on the cluster that the gateway made, until it says that it is ready. */
export async function postgres(folder, port) {
  const cluster = join(folder, "postgres");
  const home = readdirSync(folder).find((name) => existsSync(join(folder, name, "bin/postgres")));
  const options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB", "io_method=sync"];
  const program = [join(folder, home, "bin/postgres"), "-D", cluster, "-p", String(port)];
  const command = [...asRoot, ...program, ...options.flatMap((option) => ["-c", option])];
  const began = performance.now();
  const child = start(command[0], command.slice(1));
  const said = join(cluster, "postmaster.pid");
  while (!existsSync(said) || readFileSync(said, "utf8").split("\n")[7]?.trim() !== "ready") {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
    await pause(2);
  }
  return { milliseconds: performance.now() - began, child };
}

/** A bare Vert.x server with an archive of its own classes. */
async function hello() {
  const folder = join(scratch, "hello");
  const archive = join(folder, "hello.jsa");
  mkdirSync(folder);
  const run = (program, ...args) => execFileSync(join(javaHome(), "bin", program), args, { stdio: "pipe" });
  run("javac", "-cp", jar, "-d", folder, join(root, "webapp/bench/Hello.java"));
  run("jar", "--create", "--file", join(folder, "hello.jar"), "-C", folder, "Hello.class");
  const program = ["-cp", `${join(folder, "hello.jar")}:${jar}`, "Hello"];
  const served = async (...flags) => {
    const port = await freePort();
    const options = ["-Xmx256m", ...flags];
    return timeToAnswer(java, [...options, ...program, String(port)], { port, path: "/healthz" });
  };
  const training = await served(`-XX:ArchiveClassesAtExit=${archive}`);
  await training.child.stop();
  return () => served(`-XX:SharedArchiveFile=${archive}`);
}

async function timed(starting) {
  const { milliseconds, child } = await starting;
  await child.stop();
  return milliseconds;
}

export async function measureStart(rounds) {
  const port = await freePort();
  const probe = { port, path: "/readyz", env };
  const up = () => timeToAnswer(join(root, "sluice"), ["up", "--port", String(port), "--data", data], probe);
  await timed(up()); // makes the data folder
  const helloServer = await hello();

  const databasePort = await freePort();
  const password = readFileSync(join(data, "postgres/sluice-password"), "utf8").trim();
  const url = `postgresql://sluice:${password}@127.0.0.1:${databasePort}/postgres`;
  const alone = (flags) =>
    timeToAnswer(
      java,
      [...flags, "-jar", jar, "--port", String(port), "--data", join(scratch, "alone"), "--db", url],
      probe,
    );
  const cached = [`@${launch}/jvm.options`, `-XX:AOTCache=${launch}/sluice.aot`];
  /** The JVM's part: PostgreSQL runs already. */
  const withDatabase = async (flags) => {
    const { child } = await postgres(data, databasePort);
    const milliseconds = await timed(alone(flags));
    await child.stop();
    return milliseconds;
  };
  return interleaved(rounds, {
    up: () => timed(up()),
    hello: () => timed(helloServer()),
    postgres: () => timed(postgres(data, databasePort)),
    cached: () => withDatabase(cached),
    plain: () => withDatabase([]),
  });
}
