// The JDK and the jar that the checks run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { output, root, scratch, server } from "./processes.mjs";

export async function jdk() {
  const home = await output(join(root, ".mvn/wrapper/find-jdk"), []);
  const version = Number(/^JAVA_VERSION="?(\d+)/m.exec(readFileSync(join(home, "release"), "utf8"))[1]);
  return { home, version };
}

/** The jar as it was last built. */
export async function program() {
  const { home, version } = await jdk();
  const options = readFileSync(join(root, "backend/jvm.options"), "utf8").split("\n");
  const meant = options.filter((line) => line.startsWith("-") || (version >= 24 && line.startsWith("24+ ")));
  const flags = meant.map((line) => line.replace("24+ ", ""));
  return [join(home, "bin/java"), ...flags, "-jar", join(root, "backend/target/sluice.jar")];
}

/** On a fresh data folder and a free port; `match[1]` is its address, or what else it is `ready` with. */
export async function startGateway(env, { name = "gateway", ready = /^ready (http:\/\/\S+)$/ } = {}) {
  const [java, ...args] = await program();
  // whether or not a Docker engine answers on this machine
  return server(java, [...args, "--port", "0", "--data", join(scratch, name)], {
    env: { SLUICE_ENGINE: "process", SLUICE_SSH_PORT: "0", SLUICE_PROMETHEUS: "off", ...env },
    ready,
    limit: 150, // a start gives up by itself after 120 s, and says why
  });
}
