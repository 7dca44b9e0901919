// What the tests need from the machine: installed where that is allowed (root and apt-get), named where it is missing.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { command, root as tree } from "./processes.mjs";
import { Skipped, say } from "./stages.mjs";

export const onPath = (program) =>
  [...process.env.PATH.split(delimiter), "/usr/sbin", "/sbin"].map((folder) => join(folder, program)).find(existsSync);
const debianPostgres = () => {
  const home = "/usr/lib/postgresql";
  const versions = existsSync(home)
    ? readdirSync(home).filter((version) => existsSync(join(home, version, "bin/initdb")))
    : [];
  const newest = versions.sort((a, b) => a - b).at(-1);
  return newest && join(home, newest, "bin");
};

/** Where tasks find the programs that endpoints open; a user's home would be hidden from them. */
export const APPS = "/opt/sluice-test/apps";
/** Built by `code-server.mjs`. */
export const CODE_SERVER = "/opt/sluice-test/code-server";
const PROGRAMS = ["jupyterlab>=4,<5", "tensorboard>=2,<3", "setuptools<81"];
/** What runs in them and beside them, where it can be had too. */
const MORE = ["matplotlib", "streamlit"];

const NEEDS = [
  { name: "chromium", found: () => onPath("chromium") },
  { name: "fonts-noto-cjk", found: () => existsSync("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc") },
  { name: "docker.io", found: () => onPath("dockerd") && onPath("docker") },
  { name: "docker-registry", found: () => onPath("docker-registry") },
  { name: "docker-compose", found: () => onPath("docker-compose") },
  { name: "mmdebstrap", found: () => onPath("mmdebstrap") },
  { name: "openssl", found: () => onPath("openssl") },
  { name: "openssh-client", found: () => onPath("ssh") && onPath("sftp") && onPath("scp") && onPath("ssh-keygen") },
  { name: "jupyter-notebook", found: () => onPath("jupyter-notebook") },
  { name: "qemu-user", found: () => onPath("qemu-aarch64") || onPath("qemu-aarch64-static") },
  { name: "openmpi-bin", found: () => onPath("mpirun") },
  { name: "postgresql", found: debianPostgres },
  { name: "btrfs-progs", found: () => onPath("mkfs.btrfs") },
  { name: "ripgrep", found: () => onPath("rg") },
  { name: "g++", found: () => onPath("g++") || hasCodeServer() },
  { name: "make", found: () => onPath("make") || hasCodeServer() },
  { name: "prometheus", found: () => onPath("prometheus") && onPath("promtool") },
];

export const root = process.getuid?.() === 0;
const mayInstall = root && onPath("apt-get");

/** So many ports in a row that nobody listens at, as `first-last`. */
export async function freeRange(count) {
  for (;;) {
    // neither the kernel nor an engine gives these to anybody
    const first = 61_000 + Math.floor(Math.random() * (4_500 - count));
    const all = await Promise.all(Array.from({ length: count }, (_, at) => isFree(first + at)));
    if (all.every(Boolean)) return `${first}-${first + count - 1}`;
  }
}

function isFree(port) {
  return new Promise((told) => {
    const server = createServer();
    server.once("error", () => told(false));
    server.listen(port, "127.0.0.1", () => server.close(() => told(true)));
  });
}

export async function install() {
  const told = await packages();
  return `${told}; ${await apps()}`;
}

async function packages() {
  const missing = NEEDS.filter((need) => !need.found()).map((need) => need.name);
  if (missing.length === 0) return "everything is there";
  if (!mayInstall) return `missing, and installing needs root and apt-get: ${missing.join(", ")}`;
  say(`installing ${missing.join(" ")}`);
  if (oldLists()) await apt("update");
  try {
    await apt("install", ...missing);
  } catch {
    await apt("update"); // the lists name versions that the mirror no longer has
    await apt("install", ...missing);
  }
  return `installed ${missing.length} packages`;
}

/** JupyterLab and TensorBoard are no packages of the system: whether they can be had is not for this machine alone to say. */
export const hasApps = () => ["jupyter-lab", "tensorboard"].every((name) => existsSync(join(APPS, "bin", name)));

/** What it is built by; one that was built by another is built anew. */
export const codeServerRecipe = () =>
  createHash("sha256")
    .update(readFileSync(join(tree, ".ci/code-server.mjs")))
    .digest("hex");

/** Its folder is there only if all of it was built. */
export function hasCodeServer() {
  const told = join(CODE_SERVER, "recipe");
  return existsSync(told) && readFileSync(told, "utf8") === codeServerRecipe();
}

export const WITHOUT_CODE_SERVER = "NOT CHECKED, without code-server: VS Code in the browser";
export const WITHOUT_APPS = "NOT CHECKED, without JupyterLab and TensorBoard: notebooks";
export const WITHOUT_MORE = `NOT CHECKED, without ${MORE.join(" and ")}: plots in notebooks, and an app of Streamlit's`;

/** Beside JupyterLab. */
export const hasMore = () =>
  existsSync(join(APPS, "bin/streamlit")) &&
  readdirSync(join(APPS, "lib")).some((python) => existsSync(join(APPS, "lib", python, "site-packages/matplotlib")));

/** For this machine's own Python, as tasks see it. */
export const hasTorch = () => existsSync("/usr/local/bin/torchrun") && imports("torch");

export const hasTensorFlow = () => imports("tensorflow");

const imports = (name) => spawnSync("/usr/bin/python3", ["-c", `import ${name}`], { stdio: "ignore" }).status === 0;

/** Beside the source tree, and no part of it. */
export const hasSamples = () => existsSync(join(tree, "../shared/telemetry-samples"));

export const WITHOUT_SAMPLES = "NOT CHECKED, without ../shared/telemetry-samples: what real tools print of their devices";

export const WITHOUT_TORCH = "NOT CHECKED, without PyTorch: torchrun over two tasks";

export const WITHOUT_TENSORFLOW = "NOT CHECKED, without TensorFlow: its parameter server";

async function apps() {
  if (hasApps() && hasMore()) return "JupyterLab, TensorBoard and Streamlit are there";
  if (!mayInstall) return hasApps() ? WITHOUT_MORE : WITHOUT_APPS;
  say("installing JupyterLab, TensorBoard and Streamlit");
  const options = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries", "0", "--timeout", "20"];
  const pip = (programs) => command(join(APPS, "bin/pip"), ["install", ...options, ...programs], { limit: 180 });
  try {
    if (!hasApps()) {
      if (!ensurepip()) await apt("install", "python3-venv");
      await command("/usr/bin/python3", ["-m", "venv", "--clear", APPS]);
      await pip(PROGRAMS);
    }
  } catch (fault) {
    return `${WITHOUT_APPS} (${reason(fault)})`;
  }
  try {
    await pip(MORE);
    return "installed JupyterLab, TensorBoard and Streamlit";
  } catch (fault) {
    return `installed JupyterLab and TensorBoard; ${WITHOUT_MORE} (${reason(fault)})`;
  }
}

const reason = (fault) => String(fault.message).trim().split("\n").at(-1);

const ensurepip = () =>
  readdirSync("/usr/lib").some((name) => name.startsWith("python3.") && existsSync(join("/usr/lib", name, "ensurepip")));

function oldLists() {
  const lists = "/var/lib/apt/lists";
  const newest = Math.max(0, ...readdirSync(lists).map((name) => statSync(join(lists, name)).mtimeMs));
  const aDay = 24 * 3600 * 1000;
  return !readdirSync(lists).some((name) => name.includes("_Packages")) || Date.now() - newest > aDay;
}

const apt = (verb, ...packages) =>
  command("apt-get", ["-y", "-q", ...(packages.length ? [verb, "--no-install-recommends", ...packages] : [verb])], {
    env: { DEBIAN_FRONTEND: "noninteractive" },
  });

/** Fails the stage as skipped, with the reason, unless all of these are there. */
export function need(...names) {
  const missing = NEEDS.filter((need) => names.includes(need.name) && !need.found()).map((need) => need.name);
  if (missing.length)
    throw new Skipped(`needs ${missing.join(", ")}, which can not be installed here (not root, or no apt-get)`);
}

export function needRoot(what) {
  if (!root) throw new Skipped(`${what} needs root`);
}
