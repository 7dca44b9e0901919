// VS Code in the browser, built of npm's packages: its own installer fetches finished programs from a code host, which
// not every machine reaches.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  CODE_SERVER,
  codeServerRecipe,
  hasCodeServer,
  need,
  needRoot,
  onPath,
  WITHOUT_CODE_SERVER,
} from "./machine.mjs";
import { atTheEnd, command, Failure, output, scratch, server } from "./processes.mjs";
import { say } from "./stages.mjs";

const VERSION = "4.99.4";
const NPM = ["--ignore-scripts", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
NPM.push("--fetch-retries=1", "--fetch-timeout=20000");
// a program with a session of its own, as ours have, is nice within that only: Linux weighs sessions
const GENTLY = ["-c", 'echo 19 2>/dev/null >/proc/self/autogroup; exec nice -n 19 "$@"', "-"];

let making;

/** Begun when first asked for; tells why there is none, or nothing. It never fails: less is checked then. */
export function codeServer() {
  making ??= made();
  return making;
}

async function made() {
  if (hasCodeServer()) return undefined;
  const folder = `${CODE_SERVER}.${process.pid}`;
  try {
    needRoot("building it");
    need("ripgrep", "g++", "make");
    clearStrays();
    atTheEnd(() => clear(folder));
    const began = performance.now();
    say("building code-server, while other stages run");
    await build(folder);
    await answers(folder);
    writeFileSync(join(folder, "recipe"), codeServerRecipe());
    // never half of one, and another check may have been quicker
    if (!hasCodeServer()) {
      rmSync(CODE_SERVER, { recursive: true, force: true });
      renameSync(folder, CODE_SERVER);
    }
    say(`built code-server (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    return undefined;
  } catch (fault) {
    return `${WITHOUT_CODE_SERVER} (${reason(fault)})`;
  } finally {
    clear(folder);
  }
}

function clear(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // what builds it is being ended and still writes; the next check clears it
  }
}

/** What checks left that were killed. */
function clearStrays() {
  const beside = dirname(CODE_SERVER);
  const name = new RegExp(`^${basename(CODE_SERVER)}\\.(\\d+)$`);
  for (const stray of existsSync(beside) ? readdirSync(beside) : []) {
    const pid = name.exec(stray)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) clear(join(beside, stray));
  }
}

async function build(folder) {
  const home = join(folder, "node_modules/code-server");
  const code = join(home, "lib/vscode");
  const modules = join(code, "node_modules");
  mkdirSync(join(folder, "bin"), { recursive: true });
  await npm(folder, "install", ...NPM, "--prefix", folder, `code-server@${VERSION}`);
  await npm(code, "install", ...NPM);
  // without these it does not begin, has no terminal, leaves behind what it began, and complains in the browser's
  // console; nobody asks it for Kerberos, and npm has its watcher of files compiled
  const place = ["--module_path=../lib/binding/napi-v3", "--module_name=argon2", "--napi_build_version=3"];
  await compiled(folder, "argon2", ...place);
  await compiled(code, "node-pty");
  await compiled(code, "native-watchdog");
  await compiled(code, "@vscode/spdlog");
  mkdirSync(join(modules, "@vscode/ripgrep/bin"));
  copyFileSync(onPath("rg"), join(modules, "@vscode/ripgrep/bin/rg"));
  symlinkSync("node_modules", join(code, "node_modules.asar"));
  // half of all it takes
  await gently(folder, "find", [".", "-name", "*.map", "-delete"]);
  // tasks see no home of a user's, where Node.js may be, and containers have none
  copyFileSync(process.execPath, join(folder, "bin/node"));
  symlinkSync("../node_modules/.bin/code-server", join(folder, "bin/code-server"));
}

const compiled = (cwd, name, ...options) => npm(cwd, "explore", name, "--", "node-gyp", "rebuild", ...options);

const npm = (cwd, ...args) => gently(cwd, "npm", args);

function gently(cwd, name, args) {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  // else node-gyp fetches them
  const headers = existsSync(join(prefix, "include/node/node.h")) ? { npm_config_nodedir: prefix } : {};
  const log = join(scratch, "code-server.log");
  // what is not made faster is made in half of the time
  const env = { JOBS: "2", CXXFLAGS: "-O0", ...headers };
  return command("sh", [...GENTLY, name, ...args], { cwd, env, log, limit: 600 });
}

async function answers(folder) {
  const home = join(folder, "tried");
  mkdirSync(home);
  const PATH = `${join(folder, "bin")}:${process.env.PATH}`;
  const env = { PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
  const version = await output("code-server", ["--version"], { env });
  // it may say before that it wrote its settings
  if (!version.includes(`${VERSION} `)) throw new Failure(`it says that it is ${version}`);
  const open = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
  const ready = /HTTP server listening on (http:\S+)/;
  const { match, stop } = await server("code-server", open, { env, ready });
  for (const path of ["healthz", ""]) {
    const { status } = await fetch(new URL(path, match[1]));
    if (status !== 200) throw new Failure(`it answers ${status} to /${path}`);
  }
  await stop();
  rmSync(home, { recursive: true });
}

/** Of what npm and node-gyp say at the end, what tells most. */
function reason(fault) {
  const lines = String(fault.message).trim().split("\n");
  const telling = lines.find((line) => /reason: |error: |npm error (?!code|syscall|errno|A complete)/i.test(line));
  return (telling ?? lines.at(-1)).trim();
}
