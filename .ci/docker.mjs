// A Docker engine of our own, beside any that the machine runs, and base images made from Debian's packages in place of the
// published ones, under their names: so the files in compose/ are tried as they are.
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jdk } from "./gateway.mjs";
import { APPS, CODE_SERVER, hasApps, need, needRoot, onPath } from "./machine.mjs";
import { command, root, scratch, server } from "./processes.mjs";
import { Skipped } from "./stages.mjs";

/** Starts dockerd; returns the environment that docker and docker-compose need to reach it. */
export async function engine(name = "docker") {
  need("docker.io", "docker-compose", "mmdebstrap");
  needRoot("a Docker engine of our own");
  const home = join(scratch, name);
  const socket = `unix://${home}/docker.sock`;
  const folders = ["--data-root", `${home}/data`, "--exec-root", `${home}/exec`, "--pidfile", `${home}/pid`];
  const network = ["--bridge", "none", "--default-address-pool", "base=10.213.0.0/16,size=24"];
  mkdirSync(home);
  await server("dockerd", ["--host", socket, ...folders, ...network], { ready: /API listen on/ });
  return { DOCKER_HOST: socket };
}

const SHELL = ["bash", "sh", "sleep", "seq", "cat", "date", "chmod", "mkdir", "base64"];
// what beginning a program in a task takes besides
SHELL.push("rm", "tail", "stat", "uname", "cksum", "setsid", "nohup", "timeout", "flock", "env", "tty");
// and what the journeys with VS Code ask
SHELL.push("grep", "mv");

/** Beside the shell this machine's Python, and its test apps where the gateway has them in `/gdata/apps`. */
const PYTHON = `real=$(readlink -f /usr/bin/python3); version=\${real##*/}
    mkdir -p root/opt/sluice-test root/usr/bin root/usr/lib; cp $real root/usr/bin/; ln -s $version root/usr/bin/python3
    tar -C /usr/lib --exclude=__pycache__ --exclude=test --exclude='config-*' -c $version | tar -C root/usr/lib -x
    { echo $real; find /usr/lib/$version ${APPS} -name '*.so*'; } | xargs ldd 2>/dev/null | grep -o ' /[^ ]*' | sort -u |
      while read -r library; do case $library in /opt/*) ;; *) [ -e root$library ] || cp -L --parents $library root/;; esac; done
    ln -s /gdata/apps root${APPS}; tar -C root -c . > python.tar`;

/** The settings of the gateways of these names, for an engine of our own, which has images of this machine's shell, `shell:1`, and of its Python, `python:1`. */
export async function containers(...gateways) {
  const env = await engine("containers-engine");
  const home = join(scratch, "shell");
  mkdirSync(home);
  // what code-server will be linked to: it may still be building
  const linked = [process.execPath, onPath("rg")].filter(Boolean).join(" ");
  const script = `cd ${home}; mkdir -p root/etc root/tmp root/bin
    for program in ${SHELL.join(" ")}; do p=$(type -P $program); cp -L --parents $p root/; ldd $p | grep -o '/[^ ]*'; done |
      cat - <(ldd ${linked} | grep -o ' /[^ ]*') | sort -u |
      while read -r library; do cp -L --parents $library root/; done
    mkdir -p root/opt/sluice-test; ln -s /gdata/code-server root${CODE_SERVER}
    cp -L /bin/bash /bin/sh root/bin/; chmod 1777 root/tmp
    echo root:x:0:0:root:/root:/bin/bash > root/etc/passwd; tar -C root -c . > image.tar`;
  await command("bash", ["-c", script]);
  await command(
    "docker",
    ["import", "--change", "ENV PATH=/usr/local/bin:/usr/bin:/bin", join(home, "image.tar"), "shell:1"],
    {
      env,
    },
  );
  if (hasApps()) await withPython(home, env, gateways);
  // a journey has a registry on this machine
  return { SLUICE_ENGINE: "docker", SLUICE_DOCKER_HOST: env.DOCKER_HOST, SLUICE_DOCKER_REGISTRIES: "127.0.0.1" };
}

async function withPython(home, env, gateways) {
  await command("bash", ["-c", `cd ${home}; ${PYTHON}`]);
  await command(
    "docker",
    ["import", "--change", "ENV PATH=/usr/local/bin:/usr/bin:/bin", join(home, "python.tar"), "python:1"],
    {
      env,
    },
  );
  for (const name of gateways) await share(APPS, name, "apps");
}

/** A folder of this machine, as `/gdata/NAME` in the containers of a gateway; it may run already. */
export async function share(folder, gateway, name) {
  const shared = join(scratch, gateway, "gdata");
  mkdirSync(shared, { recursive: true });
  // links take no room and no time, where both are on one disk
  await command("sh", ["-c", 'cp -al "$1" "$2" 2>/dev/null || cp -a "$1/." "$2"', "-", folder, join(shared, name)]);
}

/** Debian in a tar file, with some packages; made while other stages run. */
export async function debian(...packages) {
  needRoot("mmdebstrap");
  need("mmdebstrap");
  const tar = join(scratch, `debian-${packages.join("-")}.tar`);
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))[1];
  const options = ["--quiet", "--variant=minbase", `--include=${packages.join(",")}`];
  await command("mmdebstrap", [...options, codename, tar]);
  return tar;
}

/** Stands in for the published Java runtime: the same place and variables, made of the JDK at hand. */
export async function javaImage(docker, tar, name) {
  const { home, version } = await jdk();
  if (version < 25) throw new Skipped(`the image is made for JDK 25 or newer, and the newest here is ${version}`);
  const runtime = join(scratch, "runtime");
  const modules = "java.se,jdk.unsupported,jdk.crypto.ec,jdk.management,jdk.net,jdk.zipfs,jdk.localedata";
  await command(join(home, "bin/jlink"), [
    "--add-modules",
    modules,
    "--strip-debug",
    "--output",
    join(runtime, "openjdk"),
  ]);
  await docker("import", tar, "sluice-test-debian");
  await image(docker, name, runtime, [
    "FROM sluice-test-debian",
    "COPY openjdk /opt/java/openjdk",
    "ENV JAVA_HOME=/opt/java/openjdk PATH=/opt/java/openjdk/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  ]);
}

/** Stands in for the published PostgreSQL image: the same variables, folders and user. */
export async function postgresImage(docker, tar, name) {
  const folder = join(scratch, "postgres");
  mkdirSync(folder);
  cpSync(join(root, ".ci/postgres-entrypoint"), join(folder, "entrypoint"));
  chmodSync(join(folder, "entrypoint"), 0o755);
  await docker("import", tar, "sluice-test-debian-postgres");
  await image(docker, name, folder, [
    "FROM sluice-test-debian-postgres",
    "COPY entrypoint /usr/local/bin/",
    "RUN rm -rf /var/lib/postgresql && install -d -o postgres -g postgres /var/lib/postgresql \\",
    " && install -d -o postgres -g postgres -m 3777 /var/run/postgresql \\",
    " && ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/",
    "ENV PGDATA=/var/lib/postgresql/18/docker",
    "VOLUME /var/lib/postgresql",
    'ENTRYPOINT ["entrypoint"]',
  ]);
}

async function image(docker, name, folder, lines) {
  writeFileSync(join(folder, "Dockerfile"), `${lines.join("\n")}\n`);
  await docker("build", "--quiet", "--tag", name, folder);
}
