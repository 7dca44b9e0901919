// What stands between a browser and an app: the gateway's road, and nginx, HAProxy, Caddy and configurable-http-proxy before the same app.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { client, gateway, job } from "./gateway.mjs";
import { freePort, jar, java, PASSWORD, root, run, scratch, start, timeToAnswer } from "./measure.mjs";
import { fetchPage } from "./visitor.mjs";

const CHP = join(root, "webapp/target/chp");
const CHP_VERSION = "5.3.0";
export const BODIES = { "1k": 1024, "100k": 100 << 10, "10m": 10 << 20 };

/** What is missing, as a sentence. */
export function withoutPeers() {
  const missing = ["nginx", "haproxy", "caddy", "wrk", "cc", "taskset"].filter(
    (name) => spawnSync("sh", ["-c", `PATH=$PATH:/usr/sbin command -v ${name}`]).status !== 0,
  );
  return missing.length ? `${missing.join(", ")} not installed (apt-get install nginx haproxy caddy wrk gcc)` : null;
}

const open = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("close", () => {}).on("connect", () => socket.destroy());
  });

async function listening(port) {
  for (let tries = 0; !(await open(port)); tries++) {
    if (tries > 300) throw new Error(`nothing listens on ${port}; see ${scratch}/programs.log (kept)`);
    await pause(50);
  }
}

const UPSTREAM = (port, folder) => `daemon off; worker_processes 1; pid ${folder}/app.pid; error_log stderr;
events { worker_connections 4096; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; keepalive_timeout 600s;
 client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3; uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
 server { listen 127.0.0.1:${port} backlog=4096; root ${folder}; location = / { return 204; } } }
`;

const NGINX = ({
  port,
  sockets,
  app,
  echo,
  folder,
}) => `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr;
events { worker_connections 12000; }
http { access_log off; keepalive_requests 100000000; keepalive_timeout 600s; proxy_temp_path ${folder}/nginx-tmp; client_body_temp_path ${folder}/nginx-tmp;
 map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
 upstream app { server 127.0.0.1:${app}; keepalive 256; keepalive_requests 100000000; }
 upstream echo { server 127.0.0.1:${echo}; }
 server { listen 127.0.0.1:${port} backlog=4096;
  location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffers 16 16k; proxy_buffer_size 16k; proxy_busy_buffers_size 64k; proxy_max_temp_file_size 0; } }
 server { listen 127.0.0.1:${sockets} backlog=4096;
  location / { proxy_pass http://echo; proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade; proxy_read_timeout 600s; } }
}
`;

const HAPROXY = ({ port, sockets, app, echo }) => `global
  nbthread 1
  maxconn 4000
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
  timeout tunnel 600s
  option http-keep-alive
  http-reuse always
frontend pages
  bind 127.0.0.1:${port}
  default_backend app
frontend sockets
  bind 127.0.0.1:${sockets}
  default_backend echo
backend app
  server one 127.0.0.1:${app}
backend echo
  server one 127.0.0.1:${echo}
`;

const CADDY = ({ port, app }) => ({
  admin: { disabled: true },
  logging: { logs: { default: { level: "ERROR" } } },
  apps: {
    http: {
      servers: {
        one: {
          listen: [`127.0.0.1:${port}`],
          automatic_https: { disable: true },
          routes: [
            {
              handle: [
                {
                  handler: "reverse_proxy",
                  transport: { protocol: "http", keep_alive: { enabled: true, max_idle_conns_per_host: 256 } },
                  upstreams: [{ dial: `127.0.0.1:${app}` }],
                },
              ],
            },
          ],
        },
      },
    },
  },
});

async function proxyOfNode(target) {
  if (!existsSync(join(CHP, "node_modules/configurable-http-proxy")))
    await run("npm", ["install", "--prefix", CHP, "--loglevel=error", `configurable-http-proxy@${CHP_VERSION}`]);
  const [port, api] = [await freePort(), await freePort()];
  const program = join(CHP, "node_modules/configurable-http-proxy/bin/configurable-http-proxy");
  const where = ["--ip", "127.0.0.1", "--port", String(port), "--api-ip", "127.0.0.1", "--api-port", String(api)];
  const args = [program, ...where, "--default-target", `http://127.0.0.1:${target}`, "--log-level", "error"];
  return { port, child: start(process.execPath, args, { env: { CONFIGPROXY_AUTH_TOKEN: "none" } }) };
}

/** The other proxies, each on one thread; `stop` ends them. */
export async function peers(app, echo) {
  const folder = join(scratch, "peers");
  mkdirSync(folder, { recursive: true });
  const place = async () => ({ port: await freePort(), sockets: await freePort(), app, echo, folder });
  const [nginx, haproxy, caddy] = [await place(), await place(), await place()];
  writeFileSync(join(folder, "nginx.conf"), NGINX(nginx));
  writeFileSync(join(folder, "haproxy.cfg"), HAPROXY(haproxy));
  writeFileSync(join(folder, "caddy.json"), JSON.stringify(CADDY(caddy)));
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  nginx.child = start("nginx", ["-c", join(folder, "nginx.conf")], { env });
  haproxy.child = start("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], { env });
  caddy.child = start("caddy", ["run", "--config", join(folder, "caddy.json")], { env: { ...env, GOMAXPROCS: "1" } });
  const all = { nginx, haproxy, caddy, chp: await proxyOfNode(app), chpSockets: await proxyOfNode(echo) };
  for (const one of Object.values(all)) await listening(one.port);
  return all;
}

/** A gateway with a job whose task is the app: files of some sizes, and an echo of WebSockets. */
export async function site(name, { plainly = false } = {}) {
  // as the other proxies have one worker: one event loop listens
  const one = "-XX:ActiveProcessorCount=1";
  const flags = ["--connections-per-address", "20000", "--engine", "process", "--ssh-port", "off"];
  const at = plainly ? await plain(name, [one], flags) : await gateway(name, { flags, env: { SLUICE_JAVA_OPTS: one } });
  const home = join(at.data, "homes/admin");
  mkdirSync(home, { recursive: true, mode: 0o755 });
  const [app, echo] = [await freePort(), await freePort()];
  for (const [file, bytes] of Object.entries(BODIES))
    writeFileSync(join(home, file), Buffer.alloc(bytes, "0123456789abcdef\n"));
  writeFileSync(join(home, "nginx.conf"), UPSTREAM(app, "/userhome"));
  copyFileSync(echoProgram(), join(home, "echo"));
  const command = `/userhome/echo server ${echo} & exec /usr/sbin/nginx -c /userhome/nginx.conf`;
  await at.submit(job("app", command, { cpu: 1, memoryMB: 512 }));
  const close = async () => {
    // the connections that were opened before the measurement have been closed meanwhile
    const { stopped } = await client(at.address);
    await stopped("admin~app");
    await at.close();
  };
  return { ...at, app, echo, pid: at.child.pid, door: (wanted, port) => door(at, wanted, port), close };
}

/** As somebody starts it who knows nothing of our flags. */
async function plain(name, options, flags) {
  const port = await freePort();
  const data = join(scratch, name);
  const args = [
    ...options,
    "-jar",
    jar,
    "--port",
    String(port),
    "--data",
    data,
    "--calls-per-minute",
    "999999999",
    ...flags,
  ];
  const { child } = await timeToAnswer(java, args, { port, path: "/readyz", env: { SLUICE_ADMIN_PASSWORD: PASSWORD } });
  const address = `http://127.0.0.1:${port}`;
  return { child, address, data, close: () => child.stop(), ...(await client(address)) };
}

let compiled;
export function echoProgram() {
  if (!compiled) {
    compiled = join(scratch, "echo");
    execFileSync("cc", ["-O2", "-o", compiled, join(root, "webapp/bench/echo.c")], { stdio: "inherit" });
  }
  return compiled;
}

/** Opens an endpoint and goes in: the headers with which its app is reached at the gateway's port. */
export async function door(at, name, port) {
  const path = `/api/v2/jobs/admin~app/endpoints`;
  await at.send("PUT", `${path}/${name}`, { recipe: "port", port });
  const state = async () => JSON.parse((await at.get(path)).body).find((one) => one.name === name);
  for (let tries = 0; (await state()).state !== "ready"; tries++) {
    if (tries > 600) throw new Error(`the endpoint is not ready: ${JSON.stringify(await state())}`);
    await pause(100);
  }
  return () => enter(at, `${path}/${name}`);
}

async function enter(at, path) {
  const ticket = new URL(JSON.parse((await at.send("POST", `${path}/ticket`, {})).body).url);
  const answer = await fetchPage(at.address, ticket.pathname + ticket.search, { headers: { host: ticket.host } });
  if (answer.status !== 303) throw new Error(`the ticket is answered ${answer.status}: ${answer.body}`);
  return { Host: ticket.host, Cookie: answer.headers["set-cookie"][0].split(";")[0] };
}

function children(pid) {
  try {
    const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return own ? own.split(" ").flatMap((child) => [Number(child), ...children(Number(child))]) : [];
  } catch {
    return []; // it has ended meanwhile
  }
}

/** The program and, of nginx, its workers; a gateway's children are its database and its tasks. */
export const family = (pid, alone) => (alone ? [pid] : [pid, ...children(pid)]);

/** Milliseconds of processor. */
export function processor(pids) {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
    return sum + 10 * (Number(fields[11]) + Number(fields[12]));
  }, 0);
}

const SESSION = "/proc/self/autogroup";

/** What goes before a machine's other work, where the kernel shares by session: `echo -15 >/proc/self/autogroup`. */
export function precedence() {
  return existsSync(SESSION) ? Number(/nice (-?\d+)/.exec(readFileSync(SESSION, "utf8"))[1]) : 0;
}

/** All threads of them, those to come too; a task, which is a session of its own, goes as far before others as we. */
export function pin(pids, core) {
  if (precedence() < 0) for (const pid of pids) writeFileSync(`/proc/${pid}/autogroup`, String(precedence()));
  for (const pid of pids) execFileSync("taskset", ["-acp", String(core), String(pid)], { stdio: "ignore" });
}

/** The program that listens on a port. */
export function listener(port) {
  const found = /pid=(\d+)/.exec(execFileSync("ss", ["-Hltnp", `sport = :${port}`], { encoding: "utf8" }));
  if (!found) throw new Error(`nobody is found to listen on ${port}`);
  return Number(found[1]);
}
