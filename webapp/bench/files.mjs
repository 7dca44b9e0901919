// The file centre beside curl's usual partners: nginx for what goes up and comes down, zip for a folder of small files.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Gateway } from "./logs.mjs";
import { freePort, interleaved, javaHome, run, scratch, timeToAnswer } from "./measure.mjs";
import { fetchPage } from "./visitor.mjs";
import { collections, watch, watched } from "./watch.mjs";

const GIB = 4;
const SMALL = 10_000;
const ENTRIES = 100_000;
const FILES = "/api/v2/files/admin";

export const withoutFilePeers = () =>
  ["/usr/sbin/nginx", "/usr/bin/curl", "/usr/bin/zip"].every((path) => existsSync(path))
    ? null
    : "nginx, curl and zip are not all installed (apt-get install nginx curl zip)";

async function nginx() {
  const port = await freePort();
  const folder = join(scratch, "nginx-files");
  mkdirSync(join(folder, "data"), { recursive: true });
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; user root; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
events {}
http {
  access_log off; sendfile on; client_max_body_size 0; client_body_temp_path ${folder}/body;
  server { listen 127.0.0.1:${port}; location / { root ${folder}/data; dav_methods PUT; autoindex on; } }
}`,
  );
  const { child } = await timeToAnswer("/usr/sbin/nginx", ["-c", file, "-e", join(folder, "error.log")], {
    port,
    path: "/",
  });
  return { address: `http://127.0.0.1:${port}`, stop: child.stop };
}

/** Seconds that curl took, all of its answer in. */
async function curl(...args) {
  const began = performance.now();
  await run("curl", ["-sS", "--fail", "-o", "/dev/null", ...args]);
  return (performance.now() - began) / 1000;
}

/** Megabytes of its heap that the gateway still needs. */
function heap(pid) {
  const jcmd = join(javaHome(), "bin/jcmd");
  execFileSync(jcmd, [String(pid), "GC.run"]);
  const text = execFileSync(jcmd, [String(pid), "GC.heap_info"], { encoding: "utf8" });
  const lines = text.split("\n").filter((line) => !/Metaspace|class space/.test(line));
  return lines.reduce((sum, line) => sum + Number(/\bused (\d+)K/.exec(line)?.[1] ?? 0) / 1024, 0);
}

async function upload(gateway, file, name, length) {
  const began = performance.now();
  const headers = {
    ...gateway.headers,
    "tus-resumable": "1.0.0",
    "upload-length": String(length),
    "upload-metadata": `replace dHJ1ZQ==,path ${Buffer.from(name).toString("base64")}`,
  };
  const begun = await fetchPage(gateway.address, "/api/v2/uploads", { method: "POST", headers });
  if (begun.status !== 201) throw new Error(`an upload begins with ${begun.status}: ${begun.body}`);
  await curl(
    "-X",
    "PATCH",
    "-T",
    file,
    "-H",
    `Authorization: ${gateway.headers.authorization}`,
    ...["Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream", "Expect:"].flatMap(
      (line) => ["-H", line],
    ),
    gateway.address + begun.headers.location,
  );
  return (performance.now() - began) / 1000;
}

/** In the home of who is signed in, so many files of so many bytes. */
function fill(folder, count, bytes) {
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `file-${String(i).padStart(6, "0")}`), bytes);
}

/** Gigabytes a second of all ways, what memory grew by, how long others waited, and milliseconds of the folders. */
export async function measureFiles({ rounds, lists }) {
  const gateway = await Gateway.open(watched);
  const other = await nginx();
  try {
    const file = join(scratch, "large");
    execFileSync("sh", ["-c", `head -c ${GIB}G /dev/urandom > ${file}`]);
    const home = join(gateway.data, "homes/admin");
    const bearer = ["-H", `Authorization: ${gateway.headers.authorization}`];
    const length = GIB * 2 ** 30;
    const speed = (seconds) => length / 1e9 / seconds;
    await upload(gateway, join(home, "print.mjs"), "warm", statSync(join(home, "print.mjs")).size);
    const before = heap(gateway.child.pid);
    const past = collections().length;
    const up = () => upload(gateway, file, "large", length);
    const down = () => curl(...bearer, `${gateway.address}${FILES}/content?path=large`);
    const ways = await interleaved(rounds, {
      up: async () => speed(await up()),
      put: async () => speed(await curl("-T", file, "-H", "Expect:", `${other.address}/large`)),
      down: async () => speed(await down()),
      get: async () => speed(await curl(`${other.address}/large`)),
    });
    const idle = await watch(gateway, () => pause(5000));
    const busy = await watch(gateway, async () => {
      await up();
      await down();
    });
    const most =
      Math.max(
        before,
        ...collections()
          .slice(past)
          .map(({ left }) => left),
      ) - before;
    const grown = heap(gateway.child.pid) - before;
    fill(join(home, "small"), SMALL, Buffer.alloc(4096, "x"));
    fill(join(home, "many"), ENTRIES, "");
    const first = [];
    for (let i = 0; i < lists; i++) {
      const { status, first: waited } = await fetchPage(gateway.address, `${FILES}?path=many&limit=200`, {
        headers: gateway.headers,
      });
      if (status !== 200) throw new Error(`a list answers ${status}`);
      first.push(waited);
    }
    const packed = await interleaved(rounds + 2, {
      ours: () => curl(...bearer, `${gateway.address}${FILES}/content?path=small&as=zip`),
      zip: async () => {
        const began = performance.now();
        await run("sh", ["-c", `cd ${home} && zip -0 -q -r - small > /dev/null`]);
        return (performance.now() - began) / 1000;
      },
    });
    return { ...ways, most, grown, idle, busy, first, packed };
  } finally {
    await other.stop();
    await gateway.close();
  }
}
