// What runs in a job, opened from its page: the switch, a real notebook, and an app that attacks whoever comes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { violations } from "./axe.mjs";
import { freshName, gateway, newcomer, openBrowser, PHONE, picture, signedIn } from "./browser.mjs";
import { desk } from "./desk.mjs";
import { openFrom, panel } from "./endpoints.mjs";

const SERVER = "exec python3 -m http.server $PAI_CURRENT_CONTAINER_PORT --bind 127.0.0.1";

/** A job whose program listens at its task's port, with that as its endpoint `web`. */
async function listening(stem, command) {
  const jobName = freshName(stem).replaceAll("-", "_");
  const key = await ours.submit({
    jobName,
    image: "none",
    extras: { sluice: { endpoints: [{ recipe: "port", name: "web" }] } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 200, command }],
  });
  return { jobName, key };
}

let browser;
let ours;
before(async () => {
  browser = await openBrowser();
  ours = await desk();
});
after(() => browser.close());

const EVIL = `
import http.server, os
PAGE = b"""<!doctype html><title>evil</title><body><script>
const portal = new URLSearchParams(location.search).get("portal");
const said = {};
const tried = (name, work) => work().then((v) => { said[name] = String(v); }, (e) => { said[name] = "failed"; });
(async () => {
  await tried("api", async () => (await fetch(portal + "/api/v2/jobs", { credentials: "include" })).text());
  await tried("blind", async () => (await fetch(portal + "/jobs", { credentials: "include", mode: "no-cors" })).type);
  await tried("post", async () => { await fetch(portal + "/api/v2/jobs", { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }); return "sent"; });
  await tried("socket", () => new Promise((yes, no) => { const s = new WebSocket(portal.replace("http", "ws") + "/live/jobs", "sluice.live.v1"); s.onopen = () => yes("open"); s.onerror = no; }));
  await tried("cookies", async () => document.cookie);
  await tried("toss", async () => { document.cookie = "sluice_session=tossed; path=/; domain=localhost"; document.cookie = "sluice_session=tossed; path=/"; return document.cookie; });
  await tried("frame", () => new Promise((yes) => { const f = document.createElement("iframe"); f.src = portal + "/jobs"; f.onload = () => { try { yes(f.contentDocument ? f.contentDocument.title : "closed"); } catch { yes("closed"); } }; document.body.append(f); setTimeout(() => yes("closed"), 3000); }));
  await tried("opener", async () => (window.opener ? "there" : "none"));
  await tried("worker", async () => { const r = await navigator.serviceWorker.register("/sw.js", { scope: "/" }); return r.scope; });
  await tried("wide", async () => { const r = await navigator.serviceWorker.register("/deep/sw.js", { scope: "/" }); return r.scope; });
  await tried("other", async () => (await fetch(new URLSearchParams(location.search).get("other") || "/none", { credentials: "include" })).text());
  document.title = JSON.stringify(said);
})();
</script>"""
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        script = self.path.split("?")[0].endswith("sw.js")
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if script else "text/html")
        self.send_header("Service-Worker-Allowed", "/")
        self.send_header("Set-Cookie", "sluice_session=owned; Path=/")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(b"" if script else PAGE)
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PAI_CURRENT_CONTAINER_PORT"])), H).serve_forever()
`;

// a page that says in its title whether its WebSocket is open
const TALKS = `
import base64, hashlib, http.server, os
PAGE = b"""<!doctype html><h1>talks</h1><script>
const s = new WebSocket("ws://" + location.host + "/ws"); s.onopen = () => (document.title = "open"); s.onclose = () => (document.title = "cut");
</script>"""
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        key = self.headers.get("Sec-WebSocket-Key")
        if key:
            accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.send_response(101)
            for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]: self.send_header(name, value)
            self.end_headers()
            self.connection.recv(1000)
            self.close_connection = True
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PAI_CURRENT_CONTAINER_PORT"])), H).serve_forever()
`;

test("a_port_is_switched_on_and_off_on_the_jobs_page", async () => {
  const jobName = freshName("port").replaceAll("-", "_");
  const key = await ours.submit({
    jobName,
    image: "none",
    taskRoles: [
      {
        name: "main",
        cpuNumber: 0,
        memoryMB: 200,
        command:
          "mkdir -p ~/page; cd ~/page; echo '<h1>mine</h1>' > index.html; exec python3 -m http.server $PAI_CURRENT_CONTAINER_PORT --bind 127.0.0.1",
      },
    ],
  });
  const { page, context, complaints } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  await panel(page).scrollIntoViewIfNeeded();
  await page.locator(".add-endpoint summary").click();
  await page.locator("#add-port-name").fill("web");
  await page
    .locator("form.recipe", { has: page.locator("#add-port-name") })
    .locator("button")
    .click();
  const app = await openFrom(context, page, "web");
  assert.equal(await app.locator("h1").innerText(), "mine");
  assert.notEqual(new URL(app.url()).origin, gateway);
  assert.deepEqual(await violations(page), []);
  await picture(page, "endpoints", { whole: true });
  await page.locator("#endpoint-web .do form button").click();
  await page.locator("#endpoint-web .state", { hasText: "off" }).waitFor();
  await app.reload();
  assert.match(await app.title(), /switched off/);
  assert.deepEqual(complaints, []);
  await ours.stop(jobName);
  await context.close();
});

test("what_was_asked_for_wrongly_is_corrected_in_its_row", async () => {
  const jobName = freshName("wrong").replaceAll("-", "_");
  const key = await ours.submit({
    jobName,
    image: "none",
    extras: { sluice: { endpoints: [{ recipe: "port", name: "web", port: "no-such" }] } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 200, command: SERVER }],
  });
  const { page, context, complaints } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  await panel(page).scrollIntoViewIfNeeded();
  await page.locator("#endpoint-web .state", { hasText: "failed" }).waitFor();
  await page.locator("#change-web summary").click();
  const port = page.locator("#change-web-port");
  assert.equal(await port.inputValue(), "no-such");
  await port.fill("80");
  await page.locator("#change-web button").click();
  await page.locator("#panel-endpoints .notice", { hasText: "from 1024 to 65535" }).waitFor();
  assert.equal(await port.inputValue(), "80");
  assert.deepEqual(await violations(page), []);
  await picture(page, "endpoint-change", { whole: true });
  await port.fill("http");
  await page.locator("#change-web button").click();
  await page.locator("#endpoint-web a.button", { hasText: "Open" }).waitFor();
  await page.locator(".terminal-door button:enabled").waitFor();
  await ours.stop(jobName);
  // while it is open
  await page.locator(".terminal-door").waitFor({ state: "detached" });
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes("422")),
    [],
  );
  await context.close();
});

test("a_hostile_app_gets_nothing_of_the_portal", async () => {
  const jobName = freshName("evil").replaceAll("-", "_");
  const command = `cat > /tmp/evil.py <<'END'\n${EVIL}\nEND\nexec python3 /tmp/evil.py`;
  const key = await ours.submit({
    jobName,
    image: "none",
    extras: {
      sluice: {
        endpoints: [
          { recipe: "port", name: "evil" },
          { recipe: "port", name: "other" },
        ],
      },
    },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 200, command }],
  });
  const { page, context } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  const other = await openFrom(context, page, "other");
  const app = await openFrom(context, page, "evil");
  const query = new URLSearchParams({ portal: gateway, other: other.url() });
  await app.goto(`${new URL(app.url()).origin}/?${query}`);
  await app.waitForFunction(() => document.title.startsWith("{"), null, { timeout: 20_000 });
  const said = JSON.parse(await app.title());
  for (const attack of ["api", "socket", "wide", "other"]) assert.equal(said[attack], "failed", attack);
  assert.ok(["failed", "opaque"].includes(said.blind));
  // what it tossed itself when it was opened first is its own
  assert.doesNotMatch(said.cookies.replaceAll("sluice_session=tossed", ""), /sluice/);
  assert.equal(said.frame, "closed");
  assert.equal(said.opener, "none");
  await page.reload();
  assert.equal(await page.locator("h1").innerText(), jobName);
  assert.equal(await page.evaluate(() => navigator.serviceWorker?.controller ?? null), null);
  await ours.stop(jobName);
  await context.close();
});

test("what_is_shared_opens_for_the_other_one_until_it_is_taken_back", async () => {
  const { jobName, key } = await listening(
    "shared",
    `cat > /tmp/app.py <<'END'\n${TALKS}\nEND\nexec python3 /tmp/app.py`,
  );
  const { page, context, complaints } = await signedIn(browser);
  const guest = await newcomer(browser, { language: "zh", viewport: PHONE, theme: "dark" });
  await page.goto(`/jobs/${key}`);
  await openFrom(context, page, "web");
  const share = page.locator("#share-web");
  await share.locator("summary", { hasText: "Only its owner" }).click();
  const offered = page.locator(`#colleagues option[value="${guest.person.name}"]`);
  assert.equal(await offered.count(), 1);
  await share.locator("input[name=with]:not([type=hidden])").fill("not a name");
  await share.locator(".more button").click();
  assert.equal(await share.locator("li").count(), 0);
  await share.locator("input[name=with]:not([type=hidden])").fill(guest.person.name);
  await share.locator(".more button").click();
  await share.locator("li", { hasText: guest.person.name }).waitFor();
  assert.deepEqual(await violations(page), []);
  await picture(page, "endpoint-shared", { whole: true });
  const link = await share.locator("copy-button").first().getAttribute("text");
  await guest.page.goto("/");
  const list = guest.page.locator("#home-shared li", { hasText: jobName });
  await list.waitFor();
  assert.deepEqual(await violations(guest.page), []);
  await picture(guest.page, "endpoint-shared-list", { whole: true });
  const [opened] = await Promise.all([guest.context.waitForEvent("page"), list.locator("a.button").click()]);
  await opened.locator("h1", { hasText: "talks" }).waitFor();
  await opened.close();
  const home = await guest.context.newPage();
  await home.goto("/");
  await home.locator("#home-shared li", { hasText: jobName }).waitFor();
  await guest.page.goto(link);
  await guest.page.locator("h1", { hasText: "talks" }).waitFor();
  assert.notEqual(new URL(guest.page.url()).origin, gateway);
  await guest.page.waitForFunction(() => document.title === "open");
  const asked = Date.now();
  await share.locator("li", { hasText: guest.person.name }).getByRole("button").click();
  await guest.page.waitForFunction(() => document.title === "cut", null, { timeout: 5_000 });
  assert.ok(Date.now() - asked < 5_000);
  await share.locator("summary", { hasText: "Only its owner" }).waitFor();
  // while it is open
  await home.locator("#home-shared li", { hasText: jobName }).waitFor({ state: "detached" });
  assert.match((await guest.page.reload()) && (await guest.page.title()), /请从任务页面打开/);
  assert.equal((await guest.page.goto(link)).status(), 404);
  assert.deepEqual(complaints, []);
  await ours.stop(jobName);
  await guest.context.close();
  await context.close();
});

test("the_way_to_an_app_is_checked_before_one_s_eyes", async () => {
  const { jobName, key } = await listening("checked", SERVER);
  const { page, context, complaints } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  await panel(page).scrollIntoViewIfNeeded();
  await page.locator("#endpoint-web .check button").click({ timeout: 60_000 });
  await page.locator("#endpoint-web .checked li.good", { hasText: "The page, through the gateway" }).waitFor();
  await page.locator("#endpoint-web .checked li.busy", { hasText: "A minute of silence" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await picture(page, "endpoint-check", { whole: true });
  await context.close();
  assert.deepEqual(complaints, []);
  await ours.stop(jobName);
});

test("an_administrator_s_browser_finds_out_whether_it_gets_to_apps", async () => {
  const { page, context, complaints } = await signedIn(browser);
  // come to from another page, whose policy would not let it ask
  await page.goto("/");
  await page.evaluate(() => window.Turbo?.visit("/endpoints"));
  await page.locator("door-probe .found.good", { hasText: "is reached" }).first().waitFor();
  await page.goto("/endpoints");
  await page.locator("door-probe .found.good").first().waitFor();
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes("Content Security Policy")),
    [],
  );
  await page.route("**/.sluice/probe", (route) => route.abort());
  await page.reload();
  await page.locator("door-probe .found.bad").first().waitFor();
  await page.locator("door-probe .advice", { hasText: "--endpoint-ports" }).waitFor();
  await context.close();
});

test("somebody_else_finds_no_endpoint", async () => {
  const { jobName, key } = await listening("mine", SERVER);
  const { page, context } = await signedIn(browser);
  await page.goto(`/jobs/${key}`);
  const app = await openFrom(context, page, "web");
  const address = app.url();
  const portal = await page.locator("#endpoint-web a.button").getAttribute("href");
  const stranger = await newcomer(browser, { language: "zh", viewport: PHONE, theme: "dark" });
  await stranger.page.goto(address);
  assert.match(await stranger.page.title(), /请从任务页面打开/);
  await picture(stranger.page, "endpoint-closed");
  assert.equal((await stranger.page.goto(portal)).status(), 404);
  await ours.stop(jobName);
  await page.locator("#endpoint-web .state", { hasText: "ended" }).waitFor();
  assert.equal((await app.reload()).status(), 410);
  await stranger.context.close();
  await context.close();
});
