// Builds styles and islands into hashed, pre-compressed files; see `usage` for its commands.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { faultsOfTexts } from "./texts.mjs";

const usage = `node build.mjs            install what is missing, build what changed
node build.mjs watch      the same, and again on every change
node build.mjs check      formatting, lint, types and unit tests
node build.mjs format     rewrite the files in the agreed format`;

const OLDEST_NODE = 20;
const home = fileURLToPath(new URL(".", import.meta.url));
const target = join(home, "target");
const site = join(target, "site");
const assets = join(site, "assets");
const manifestFile = join(site, "assets.json");
const SOURCES = ["build.mjs", "package.json", "package-lock.json", "islands", "styles", "icons"];
const CHECKED = [...SOURCES, "biome.json", "tsconfig.json", "texts.mjs", "texts", "pages", "journeys", "tests"];
const NOT_OURS = new Set(["node_modules", "target"]);
const ICONS = ["icon.svg", "icons.svg"];

class Fault extends Error {}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  const inside = readdirSync(path).filter((name) => !NOT_OURS.has(name));
  return inside.sort().flatMap((name) => filesBelow(join(path, name)));
}

function fingerprint(paths) {
  const hash = createHash("sha256").update(process.version);
  for (const file of paths.flatMap((path) => filesBelow(join(home, path))))
    hash.update(`\0${file.slice(home.length)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

const stampFile = (name) => join(target, `${name}.stamp`);

function stamped(name, value) {
  return existsSync(stampFile(name)) && readFileSync(stampFile(name), "utf8") === value;
}

function stamp(name, value) {
  mkdirSync(target, { recursive: true });
  writeFileSync(stampFile(name), value);
}

function run(command, args, advice) {
  const windows = process.platform === "win32";
  const done = spawnSync(command, args, { cwd: home, stdio: ["ignore", "inherit", "inherit"], shell: windows });
  if (done.error?.code === "ENOENT") throw new Fault(`${command} is not on the PATH. ${advice}`);
  if (done.status !== 0) throw new Fault(`${command} ${args.join(" ")} failed. ${advice}`);
}

/** The build needs Turbo and esbuild only; the checkers are installed when somebody checks. */
function install({ checkers }) {
  const wanted = fingerprint(["package-lock.json", ".npmrc"]);
  const modules = existsSync(join(home, "node_modules"));
  if (modules && (stamped("installed-all", wanted) || (!checkers && stamped("installed", wanted)))) return;
  rmSync(stampFile("installed-all"), { force: true });
  run(
    "npm",
    ["ci", "--no-progress", "--loglevel=error", ...(checkers ? [] : ["--omit=dev"])],
    "Install Node.js 20 or newer together with npm, and look at what npm says above (is the registry reachable?).",
  );
  stamp(checkers ? "installed-all" : "installed", wanted);
}

function hashedName(name, bytes) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  return `${basename(name, extname(name))}-${hash}${extname(name)}`;
}

async function bundle() {
  const entry = createRequire(import.meta.url).resolve("esbuild");
  const { default: esbuild } = await import(pathToFileURL(entry).href);
  const result = await esbuild.build({
    absWorkingDir: home,
    entryPoints: [
      { in: "islands/app.ts", out: "app" },
      // what one page needs and no other is a file of its own
      { in: "islands/submit.ts", out: "submit" },
      { in: "islands/log/log-view.ts", out: "log-view" },
      { in: "islands/telemetry/device-chart.ts", out: "device-chart" },
      { in: "islands/terminal/web-terminal.ts", out: "web-terminal" },
      { in: "islands/files/file-centre.ts", out: "file-centre" },
      { in: "styles/app.css", out: "app" },
      { in: "styles/terminal.css", out: "terminal" },
    ],
    outdir: "target/site/assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
    target: ["chrome123", "firefox120", "safari17.5"],
    // nesting and light-dark() are in all of these browsers: rewriting them would only make the file bigger
    supported: { nesting: true, "color-functions": true },
  });
  const entries = Object.entries(result.metafile.outputs).filter(([, output]) => output.entryPoint);
  const manifest = entries.map(([path, { entryPoint }]) => [
    basename(entryPoint, extname(entryPoint)) + extname(path),
    basename(path),
  ]);
  // what is loaded only when it is needed: the gateway serves nothing that the manifest does not name
  for (const path of Object.keys(result.metafile.outputs))
    if (!manifest.some(([, file]) => file === basename(path))) manifest.push([basename(path), basename(path)]);
  return { files: result.outputFiles.map((file) => [basename(file.path), file.contents]), manifest };
}

function icons() {
  const files = [];
  const manifest = [];
  for (const icon of ICONS) {
    const bytes = Buffer.from(
      readFileSync(join(home, "icons", icon), "utf8")
        .replace(/>\s+</g, "><")
        .trim(),
    );
    const name = hashedName(icon, bytes);
    files.push([name, bytes]);
    manifest.push([icon, name]);
  }
  return { files, manifest };
}

function write(files) {
  mkdirSync(assets, { recursive: true });
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: 0 } };
  const kept = new Set();
  for (const [name, bytes] of files) {
    const variants = [
      [name, bytes],
      [`${name}.br`, brotliCompressSync(bytes, brotli)],
      [`${name}.gz`, gzipSync(bytes, { level: 9 })],
    ];
    for (const [file, content] of variants) {
      writeFileSync(join(assets, file), content);
      kept.add(file);
    }
  }
  return kept;
}

async function build() {
  const wanted = fingerprint(SOURCES);
  if (stamped("built", wanted) && existsSync(manifestFile)) return;
  install({ checkers: false });
  const begun = performance.now();
  const parts = [await bundle(), icons()];
  const kept = write(parts.flatMap((part) => part.files));
  const manifest = parts.flatMap((part) => part.manifest).map(([name, file]) => [name, `/assets/${file}`]);
  writeFileSync(manifestFile, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
  // last, so that a running server never misses a file that its manifest still names
  for (const file of readdirSync(assets)) if (!kept.has(file)) rmSync(join(assets, file));
  stamp("built", wanted);
  console.log(`webapp built in ${Math.round(performance.now() - begun)} ms`);
}

async function watching() {
  await build();
  let timer;
  let running = Promise.resolve();
  const again = () => {
    running = running.then(build).catch((fault) => console.error(fault.message));
  };
  for (const folder of ["islands", "styles", "icons"]) {
    watch(join(home, folder), { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(again, 30);
    });
  }
}

function biome(command, ...options) {
  install({ checkers: true });
  run(
    join("node_modules", ".bin", "biome"),
    [command, ...options, `--colors=${process.stdout.isTTY ? "force" : "off"}`, "."],
    "`node build.mjs format` repairs the format.",
  );
}

/** What needs no browser, as Node.js runs it: the islands' types are taken away first. */
async function unitTests() {
  const names = readdirSync(join(home, "tests")).filter((name) => name.endsWith(".test.mjs"));
  const { default: esbuild } = await import("esbuild");
  const outdir = join(target, "tests");
  rmSync(outdir, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: home,
    entryPoints: names.map((name) => `tests/${name}`),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    // libraries as browsers get them
    platform: "neutral",
    external: ["node:*"],
    logLevel: "warning",
  });
  const files = names.map((name) => join(outdir, name));
  run(process.execPath, ["--test", "--test-reporter=dot", ...files], "Repair what the failing tests name.");
}

async function check() {
  const wanted = fingerprint(CHECKED);
  if (stamped("checked", wanted)) return;
  const faults = faultsOfTexts(home);
  if (faults.length > 0) throw new Fault(faults.join("\n"));
  biome("ci", "--error-on-warnings");
  run(join("node_modules", ".bin", "tsc"), ["--noEmit"], "Repair the types that it names.");
  await unitTests();
  stamp("checked", wanted);
}

const commands = {
  build,
  watch: watching,
  check,
  format: () => biome("check", "--write"),
};

try {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE)
    throw new Fault(
      `Sluice needs Node.js ${OLDEST_NODE} or newer, this is ${process.version}. Install it and try again.`,
    );
  const command = commands[process.argv[2] ?? "build"];
  if (!command) throw new Fault(usage);
  await command();
} catch (fault) {
  console.error(fault instanceof Fault ? fault.message : fault);
  process.exitCode = 1;
}
