// ./sluice as somebody meets it: a copy of the tree in a folder with blanks in its name, where root can arrange that as an
// ordinary user with a home folder of his own.
import assert from "node:assert/strict";
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { command, output, putAway, root, scratch, server } from "./processes.mjs";

const tree = join(scratch, "a tree with blanks", "sluice");
const home = join(scratch, "home");
const [uid, gid] =
  process.getuid() === 0 ? (await output("id", ["-u", "nobody"]).then((id) => [id, id])).map(Number) : [];
const user = uid === undefined ? {} : { uid, gid };
const env = { HOME: home, SLUICE_ADMIN_PASSWORD: "correct-horse-battery", SLUICE_DATA: undefined };
const READY = /^ready (http:\/\/\S+)$/;

const up = (more = {}) => served(join(tree, "sluice"), ["up", "--port", "0"], more);
const served = (program, words, more = {}) =>
  server(program, words, { cwd: tree, env, user, ready: READY, limit: 240, ...more });

/** What is said by a start that does not get far. */
async function refusal(changed) {
  const lines = [];
  const options = { cwd: tree, env: { ...env, ...changed }, user, allow: [1], onLine: (line) => lines.push(line) };
  await command(join(tree, "sluice"), ["up", "--port", "0"], options);
  return lines.join("\n");
}

/** The processes that have the tree in their command line. */
function processes() {
  const commandLine = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return ""; // it has ended meanwhile
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(tree));
}

const cacheInUse = ({ pid }) => /\/launch\/sluice\.(aot|jsa)/.test(readFileSync(`/proc/${pid}/maps`, "utf8"));
const changeAPage = () => appendFileSync(join(tree, "webapp/texts/en.properties"), "\n");

before(async () => {
  const files = await output("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
  for (const file of files.split("\n").filter((name) => existsSync(join(root, name)))) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    cpSync(join(root, file), join(tree, file), { preserveTimestamps: true });
  }
  mkdirSync(join(home, ".m2"), { recursive: true });
  // what Maven has downloaded once need not come again
  await command("cp", ["-r", join(homedir(), ".m2/repository"), join(home, ".m2/repository")]);
  if (uid !== undefined) await command("chown", ["-R", `${uid}:${gid}`, dirname(tree), home]);
});
after(putAway);

test("an_ordinary_user_builds_it_in_a_folder_with_blanks_and_is_served", async () => {
  const gateway = await up();
  assert.equal((await fetch(`${gateway.match[1]}/healthz`)).status, 200);
  assert.ok(cacheInUse(gateway), "it runs without the cache that its build prepares");
  assert.equal(await gateway.stop(), 0, readFileSync(gateway.log, "utf8"));
});

test("a_second_start_builds_nothing", async () => {
  const gateway = await up();
  assert.doesNotMatch(readFileSync(gateway.log, "utf8"), /building|preparing/);
  assert.ok(cacheInUse(gateway));
  await gateway.stop();
});

test("ctrl_c_stops_everything_within_five_seconds_and_leaves_no_process", async () => {
  const gateway = await up();
  const began = performance.now();
  process.kill(-gateway.pid, "SIGINT");
  assert.equal(await gateway.ended, 0, readFileSync(gateway.log, "utf8"));
  assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
  assert.deepEqual(processes(), []);
});

test("the_flags_are_listed_by_help", async () => {
  const help = await output(join(tree, "sluice"), ["up", "--help"], { cwd: tree, env, user });
  for (const flag of ["--port", "--host", "--data", "--db"]) assert.ok(help.includes(flag), help);
});

test("a_jvm_option_of_the_users_arrives", async () => {
  const gateway = await up({ env: { ...env, SLUICE_JAVA_OPTS: "-Dsluice.asked=yes -Dsluice.too=yes" } });
  const line = readFileSync(`/proc/${gateway.pid}/cmdline`, "utf8").split("\0");
  await gateway.stop();
  assert.ok(line.includes("-Dsluice.asked=yes") && line.includes("-Dsluice.too=yes"), line.join(" "));
});

test("what_a_script_ignores_in_its_background_jobs_do_not_ignore", async () => {
  const gateway = await served("sh", ["-c", 'trap "" INT QUIT; exec "$0" up --port 0', join(tree, "sluice")]);
  const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))[1];
  await gateway.stop();
  const interrupt = 1n << 1n;
  assert.equal(BigInt(`0x${ignored}`) & interrupt, 0n, `ignored: ${ignored}`);
});

test("without_node_a_build_says_what_to_install", async () => {
  const bin = join(scratch, "bin");
  mkdirSync(bin);
  for (const program of ["sh", "dirname", "find", "sed", "ls", "cksum", "cat", "mkdir", "readlink", "date", "mv"])
    symlinkSync(await output("which", [program]), join(bin, program));
  changeAPage();
  assert.match(await refusal({ PATH: bin }), /Node\.js 20 or newer with npm is needed to build; none was found/);
});

test("with_a_home_folder_that_can_not_be_written_a_build_says_so", async () => {
  assert.match(await refusal({ HOME: "/proc" }), /the home folder \/proc can not be written/);
});

test("a_build_that_fails_shows_why_and_where_the_rest_is", async () => {
  const broken = join(tree, "backend/src/main/java/io/sluice/Broken.java");
  appendFileSync(broken, "package io.sluice; final class Broken { int no = false; }\n");
  if (uid !== undefined) chownSync(broken, uid, gid);
  const said = await refusal({});
  assert.match(said, /Broken\.java/);
  assert.match(said, /the build failed; the whole of it is in .*build\.log/);
});

test("an_unknown_command_is_refused_with_the_list_of_commands", async () => {
  const lines = [];
  await command(join(tree, "sluice"), ["start"], { cwd: tree, user, allow: [1], onLine: (line) => lines.push(line) });
  assert.match(lines.join("\n"), /usage: .*\n(.*\n)*.*there is no command 'start'/);
});
