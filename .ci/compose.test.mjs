// compose/ as an operator uses it, against a Docker engine and base images that `./sluice test` made (DOCKER_HOST).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { command, output, putAway, root } from "./processes.mjs";

const secrets = { SLUICE_DB_PASSWORD: "fjord-lantern", SLUICE_ADMIN_PASSWORD: "correct-horse-battery" };
const env = { ...secrets, SLUICE_LISTEN: "127.0.0.1:0", COMPOSE_PROJECT_NAME: "sluice-test" };
const compose = (...args) => output("docker-compose", args, { cwd: `${root}/compose`, env });
const docker = (...args) => output("docker", args);
const inside = (...args) => docker("exec", "sluice-test_gateway_1", ...args);
const address = async () => `http://${await compose("port", "gateway", "8080")}`;

async function until(what, check, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    if (await check().catch(() => false)) return;
    assert.ok(
      Date.now() < end,
      `${what} within ${seconds} s; the gateway says: ${await compose("logs", "--tail=30", "gateway")}`,
    );
    await pause(200);
  }
}

const healthy = () =>
  until(
    "healthy",
    async () => (await docker("inspect", "--format={{.State.Health.Status}}", "sluice-test_gateway_1")) === "healthy",
  );

before(async () => {
  await compose("up", "-d", "--build").catch(async (fault) => {
    throw new Error(`${fault.message}\n${await compose("logs", "--tail=40")}`);
  });
});
after(async () => {
  await compose("down", "-v", "--timeout=5");
  await putAway();
});

test("the_compose_file_is_clean", async () => {
  assert.doesNotMatch(await compose("config"), /WARN/i);
});

test("with_the_profile_telemetry_grafana_and_prometheus_are_reached_by_the_gateway_alone", async () => {
  const whole = await compose("--profile", "telemetry", "config");
  assert.doesNotMatch(whole, /WARN/i);
  const service = (name) => new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)*)`, "m").exec(whole.slice(whole.indexOf("services:")))?.[1] ?? "";
  const networks = (text) => [...(/^ {4}networks:\n((?: {6}.*\n)*)/m.exec(text)?.[1] ?? "").matchAll(/^ {6}(\w+):/gm)].map((one) => one[1]);
  for (const [name, network] of [["grafana", "panels"], ["prometheus", "numbers"]]) {
    assert.deepEqual(networks(service(name)), [network]);
    assert.doesNotMatch(service(name), /^ {4}ports:/m);
    assert.match(service(name), /read_only: true/);
    assert.equal(whole.match(new RegExp(`^ {6}${network}: `, "gm")).length, 2, "it and the gateway");
  }
  assert.match(service("grafana"), /GF_AUTH_PROXY_ENABLE_LOGIN_TOKEN: .?false/);
  assert.match(service("grafana"), /GF_DATAPROXY_SEND_USER_HEADER: .?true/);
});

test("without_passwords_it_starts_nothing_and_says_where_to_set_them", async () => {
  const unset = { ...env, SLUICE_DB_PASSWORD: "", SLUICE_ADMIN_PASSWORD: "" };
  const lines = [];
  const options = { cwd: `${root}/compose`, env: unset, allow: [1], onLine: (line) => lines.push(line) };
  await command("docker-compose", ["config"], options);
  assert.match(lines.join("\n"), /compose\/\.env/);
});

test("the_gateway_becomes_healthy", healthy);

async function signIn() {
  const origin = await address();
  const body = new URLSearchParams({ name: "admin", password: secrets.SLUICE_ADMIN_PASSWORD });
  const headers = { origin, "content-type": "application/x-www-form-urlencoded" };
  const answer = await fetch(`${origin}/sign-in`, { method: "POST", body, headers, redirect: "manual" });
  assert.equal(answer.status, 303, await answer.text());
  const cookies = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
  return cookies.join("; ");
}

async function peoplePage(cookie) {
  const answer = await fetch(`${await address()}/people`, { headers: { cookie }, redirect: "manual" });
  return answer.status;
}

test("signing_in_through_the_published_port_works", async () => {
  assert.equal(await peoplePage(""), 401);
  assert.equal(await peoplePage(await signIn()), 200);
});

test("the_gateway_is_an_ordinary_user_without_any_capability", async () => {
  const status = await inside("cat", "/proc/self/status");
  assert.match(status, /^Uid:\s+1654\s+1654/m);
  assert.match(status, /^CapEff:\s+0+$/m);
  assert.match(status, /^CapBnd:\s+0+$/m);
  assert.match(status, /^NoNewPrivs:\s+1$/m);
});

test("the_root_of_both_containers_is_read_only", async () => {
  for (const service of ["gateway", "database"])
    await assert.rejects(compose("exec", "-T", service, "sh", "-c", "touch /opt/x /usr/x"), /Read-only file system/);
});

test("the_gateway_runs_from_the_cache_that_its_image_was_built_with", async () => {
  const maps = await inside("sh", "-c", "cat /proc/[0-9]*/maps");
  assert.match(maps, /\/opt\/sluice\/sluice\.aot/);
});

test("who_was_signed_in_still_is_after_both_were_stopped_and_started", async () => {
  const cookie = await signIn();
  await compose("restart", "--timeout=10");
  await healthy();
  assert.equal(await peoplePage(cookie), 200);
});

test("the_gateway_stops_within_five_seconds", async () => {
  const began = performance.now();
  await compose("stop", "--timeout=10", "gateway");
  assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
  assert.equal(await docker("inspect", "--format={{.State.ExitCode}}", "sluice-test_gateway_1"), "0");
});

test("going_down_with_its_volumes_leaves_nothing", async () => {
  await compose("down", "-v", "--timeout=5");
  const filter = ["--filter", "label=com.docker.compose.project=sluice-test", "-q"];
  for (const kind of ["container", "volume", "network"]) {
    const all = kind === "container" ? ["-a"] : [];
    assert.equal(await docker(kind, "ls", ...all, ...filter), "", kind);
  }
});
