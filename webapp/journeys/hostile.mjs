// Somebody opens an app that is out to harm them: their portal, and another app of theirs. The same attacks where apps have
// names (A), ports (B), or live inside of the portal's address (C). What each is worth is seen by trying it on the app itself first.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { addPerson, freshName, gateway, openBrowser, signedIn, signIn, visitor } from "./browser.mjs";
import { desk } from "./desk.mjs";
import { openFrom } from "./endpoints.mjs";

const file = (name) => readFileSync(new URL(`hostile/${name}`, import.meta.url));
const COMMAND = `mkdir -p /tmp/app; cd /tmp/app; echo ${file("app.py").toString("base64")} | base64 -d > app.py; echo ${file("attacks.js").toString("base64")} | base64 -d > attacks.js; exec python3 app.py`;

/** Which way leads to which of an app's pages; those that a page without an origin can not go even to its own are marked. */
const READ = [
  ["fetch", "data"],
  ["fetchWithHeader", "data"],
  ["request", "data"],
  ["events", "events"],
  ["socket", "socket"],
  ["script", "script.js"],
  ["style", "style.css"],
  ["picture", "picture.svg"],
  ["module", "module.mjs"],
  ["redirected", "data"],
  ["frame", "page", "origin"],
  ["object", "page", "origin"],
  ["popup", "page", "origin"],
  ["worker", "worker.js", "origin"],
  ["imports", "script.js", "origin"],
];
const PORTAL = {
  events: "/api/v2/jobs",
  socket: "/live/jobs",
  script: "/assets/app.js",
  style: "/assets/app.css",
  picture: "/assets/icon.svg",
  module: "/assets/app.js",
  worker: "/assets/app.js",
  imports: "/assets/app.js",
  frame: "/jobs",
  object: "/profile",
  popup: "/profile",
};
const CHANGES = ["form", "formOfText", "formOfParts", "blind", "beacon"];

/** @param mode names, ports or inside */
export async function attackedFrom(test, mode) {
  const home = mode === "names" ? gateway.replace("127.0.0.1", "localhost") : gateway;
  const inside = mode === "inside";
  const browser = await openBrowser();
  test.after(() => browser.close());
  const stage = await furnished(browser, home, inside);
  const { page, evil, other, key } = stage;
  // inside of the portal the address is the credential: it knows the id at most
  const guessed = inside ? `${home}/apps/${other.id}/${"A".repeat(43)}/` : other.address;
  const portalOf = (way) => home + (PORTAL[way] ?? "/api/v2/users");
  const attempt = (way, address) => evil.evaluate((asked) => attempt(...asked), [way, address]);
  // a page without an origin has no credentials to include
  const onItself = (way, address) =>
    evil.evaluate((asked) => attempt(...asked), [way, address, inside ? "omit" : "include"]);
  const own = (path) => evil.evaluate((asked) => here(asked), path);
  const tried = [];
  const attack = (name, work) => {
    tried.push(name);
    return test.test(name, work);
  };

  /** Still signed in as themselves, in English, with the jobs they had, and no worker between. */
  async function unharmed(place = "/profile") {
    await page.goto(home + place);
    assert.equal(new URL(page.url()).pathname, place, "still signed in");
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.equal(
      await page
        .locator(".whoami")
        .first()
        .innerText()
        .then((said) => said.includes(stage.victim.name)),
      true,
    );
    assert.equal(await page.evaluate(() => navigator.serviceWorker?.controller ?? null), null);
    assert.deepEqual(await stage.desk.names(), stage.jobs);
  }

  async function refused(way, theirs, control) {
    const mine = await onItself(way, await own(control));
    assert.ok(mine.got, `${way} works on its own pages: ${JSON.stringify(mine)}`);
    const said = await attempt(way, theirs);
    assert.ok(said.refused && !said.got, `${way} ${theirs}: ${JSON.stringify(said)}`);
  }

  for (const [way, control, needs] of READ) {
    for (const [whom, theirs] of [
      ["the_portal", portalOf(way)],
      ["another_app", guessed + control],
    ]) {
      await attack(`${way}_of_${whom}`, async () => {
        if (!(inside && needs)) return refused(way, theirs, control);
        const said = await attempt(way, theirs);
        assert.ok(said.refused && !said.got, JSON.stringify(said));
      });
    }
  }

  await attack("a_page_of_nobody_s_within_it", async () => {
    for (const theirs of [`${home}/api/v2/users`, `${guessed}data`]) {
      const said = await attempt("nobody", theirs);
      assert.match(said.refused ?? "", /Failed to fetch/, JSON.stringify(said));
    }
  });

  const changes = [
    "/sign-out",
    "/preferences",
    "/api/v2/jobs",
    `/jobs/${key.other}/endpoints/other/share`,
    `/jobs/${key.other}/stop`,
    "/jobs",
  ];
  for (const way of CHANGES) {
    await attack(`${way}_that_changes_the_portal`, async () => {
      const before = await counted(evil);
      await attempt(way, await own("count"));
      // its own pages hear of it: the way is open
      if (!inside || way !== "beacon") assert.ok((await counted(evil)) > before, "live");
      for (const path of changes) await attempt(way, home + path);
      await unharmed();
      assert.deepEqual(await stage.desk.sharedWith(key.other), []);
    });
    await attack(`${way}_that_changes_another_app`, async () => {
      const before = await counted(other.page);
      await attempt(way, `${guessed}count`);
      assert.equal(await counted(other.page), before);
    });
  }

  await attack("cookies_are_not_seen", async () => {
    const seen = await evil.evaluate(() => {
      try {
        return document.cookie;
      } catch (fault) {
        return fault.name;
      }
    });
    assert.doesNotMatch(seen, /sluice/);
    if (inside) assert.equal(seen, "SecurityError");
  });

  await attack("cookies_tossed_at_the_portal", async () => {
    const names = ["sluice_session", "sluice_refresh", "__Host-sluice_session", `sluice_pass_${other.id}`];
    await evil.evaluate(
      ({ names, token }) => {
        for (const name of names)
          for (const value of ["tossed", token])
            for (const more of [
              "path=/",
              "path=/jobs",
              "path=/; domain=localhost",
              "path=/; domain=.localhost",
              "path=/; domain=127.0.0.1",
            ])
              try {
                // biome-ignore lint/suspicious/noDocumentCookie: what attackers have is this
                document.cookie = `${name}=${value}; ${more}`;
              } catch {
                return;
              }
      },
      { names, token: stage.attackerToken },
    );
    await unharmed();
    await unharmed(`/jobs/${key.other}`);
    for (const name of names) await stage.context.clearCookies({ name, path: "/jobs" });
  });

  await attack("cookies_set_by_its_answers", async () => {
    const fields = [
      "sluice_session=owned; Path=/",
      "sluice_session=owned; Path=/; Domain=localhost",
      "SLUICE_refresh=owned; Path=/",
      "__Host-sluice_session=owned; Path=/; Secure",
    ];
    const query = fields.map((one) => `f=${encodeURIComponent(`Set-Cookie: ${one}`)}`).join("&");
    assert.equal((await onItself("fetch", await own(`say?${query}`))).got, "said");
    const set = (await stage.context.cookies()).filter((cookie) => cookie.value === "owned");
    assert.deepEqual(set, []);
    await unharmed();
  });

  await attack("very_many_cookies_by_its_answers", async () => {
    assert.equal((await onItself("fetch", await own("bomb"))).got, "said");
    const bytes = (await stage.context.cookies())
      .filter((cookie) => cookie.name.includes("bomb"))
      .map((cookie) => cookie.value.length);
    assert.ok(bytes.reduce((sum, one) => sum + one, 0) <= 8 << 10, bytes.join());
    if (!inside) assert.ok(bytes.length > 0, "some are its own");
    await unharmed();
  });

  await attack("headers_about_more_than_itself", async () => {
    const fields = [
      'Clear-Site-Data: "*"',
      'Clear-Site-Data: "cookies", "storage"',
      "Strict-Transport-Security: max-age=99999; includeSubDomains",
      "Refresh: 0",
      "Alt-Svc: h3",
    ];
    await page.evaluate(() => localStorage.setItem("kept", "yes"));
    for (const field of fields)
      assert.equal((await onItself("fetch", await own(`say?f=${encodeURIComponent(field)}`))).got, "said");
    await unharmed();
    assert.equal(await page.evaluate(() => localStorage.getItem("kept")), "yes");
    assert.equal((await other.page.goto(other.address)).status(), 200);
  });

  await attack("a_worker_that_takes_over", async () => {
    const wide = await attempt("worksWide", await own(""));
    assert.ok(wide.refused, JSON.stringify(wide));
    const its = await attempt("worksAlways", await own(""));
    // with a name of its own it may, there and nowhere else
    assert.equal(Boolean(its.got), mode === "names", JSON.stringify(its));
    await unharmed();
    await other.page.goto(other.address);
    assert.equal(await other.page.locator("h1").innerText(), "CANARY-other");
    assert.equal(await other.page.evaluate(() => navigator.serviceWorker?.controller ?? null).catch(() => null), null);
    await evil
      .evaluate(async () => {
        for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
      })
      .catch((fault) => assert.ok(inside, fault));
    await evil.reload();
  });

  await attack("frames_around_the_portal_and_another_app", async () => {
    const addresses = [`${home}/`, `${home}/jobs/${key.other}`, `${home}/endpoints/${other.id}`, other.address];
    for (const address of addresses) {
      await evil.evaluate(
        (src) => document.body.append(Object.assign(document.createElement("iframe"), { src, name: "clickjack" })),
        address,
      );
    }
    const settled = () =>
      evil
        .frames()
        .filter((frame) => frame.name() === "clickjack" && frame.url() !== "about:blank" && frame.url() !== "");
    for (let i = 0; i < 100 && settled().length < addresses.length; i++)
      await new Promise((later) => setTimeout(later, 50));
    const shown = await Promise.all(
      settled().map((frame) => frame.evaluate(() => document.body?.innerText ?? "").catch(() => "")),
    );
    assert.equal(shown.length, addresses.length);
    for (const text of shown) assert.doesNotMatch(text, /CANARY|Sluice|Jobs/);
  });

  await attack("windows_that_it_opens_or_was_opened_by", async () => {
    assert.equal(await evil.evaluate(() => window.opener), null);
    const told = await evil.evaluate(
      async (addresses) => {
        const heard = [];
        addEventListener("message", (event) => heard.push(event.data));
        const found = [];
        for (const address of addresses) {
          const popup = window.open(address);
          await new Promise((later) => setTimeout(later, 700));
          popup?.postMessage({ type: "sign-out" }, "*");
          for (const [what, look] of Object.entries({
            title: () => popup.document.title,
            address: () => popup.location.href,
            cookies: () => popup.document.cookie,
            script: () => popup.eval("1"),
            storage: () => popup.localStorage.length,
          })) {
            try {
              const got = look();
              if (got && got !== "about:blank") found.push(`${what} ${got}`);
            } catch (fault) {
              found.push(fault.name === "SecurityError" || fault instanceof TypeError ? "" : `${what} ${fault}`);
            }
          }
          popup?.close();
        }
        return { heard, found: found.filter(Boolean) };
      },
      [`${home}/profile`, `${home}/jobs/${key.other}`, other.address],
    );
    assert.deepEqual(told, { heard: [], found: [] });
    await unharmed();
  });

  await attack("storage_and_channels_of_others", async () => {
    await page.evaluate(() => {
      localStorage.setItem("secret", "CANARY-portal");
      sessionStorage.setItem("secret", "CANARY-portal");
    });
    await other.page
      .evaluate(() => localStorage.setItem("secret", "CANARY-other"))
      .catch((fault) => assert.ok(inside, fault));
    const seen = await evil.evaluate(async () => {
      const seen = [];
      const channel = new BroadcastChannel("sluice");
      channel.onmessage = (event) => seen.push(event.data);
      for (const look of [
        () => JSON.stringify({ ...localStorage }),
        () => JSON.stringify({ ...sessionStorage }),
        async () => JSON.stringify(await indexedDB.databases()),
        async () => (await caches.keys()).join(),
      ])
        try {
          seen.push(await look());
        } catch (fault) {
          seen.push(fault.name);
        }
      await new Promise((later) => setTimeout(later, 200));
      return seen.join(" ");
    });
    assert.doesNotMatch(seen, /CANARY/);
    if (inside) assert.match(seen, /SecurityError/);
  });

  await attack("its_own_credential_shown_to_the_portal", async () => {
    const address = new URL(evil.url());
    const cookies = await stage.context.cookies(evil.url());
    const pass = inside
      ? address.pathname.split("/")[3]
      : cookies.find((cookie) => cookie.name === `sluice_pass_${stage.evilId}`).value;
    assert.ok(pass.length >= 43);
    for (const headers of [
      { Authorization: `Bearer ${pass}` },
      { Cookie: `sluice_session=${pass}` },
      { Cookie: `sluice_refresh=${pass}` },
    ]) {
      const { host, port } = new URL(gateway);
      assert.equal(await status(port, host, headers, "/api/v2/jobs"), 401);
    }
    if (inside) return;
    assert.equal(cookies.find((cookie) => cookie.value === pass).httpOnly, true);
    const { host, port } = new URL(other.address);
    const shown = (id, value) => status(port, host, { Cookie: `sluice_pass_${id}=${value}` });
    assert.equal(await shown(other.id, await passOf(stage)), 200);
    assert.equal(await shown(other.id, pass), 401);
  });

  await attack("paths_that_lead_out_of_it", async () => {
    const paths = [
      "..%2f..%2f..%2fapi/v2/users",
      "%2e%2e/%2e%2e/%2e%2e/api/v2/users",
      "..;/..;/api/v2/users",
      "..%5c..%5capi",
      "x/..%2f..%2fjobs",
      ".sluice/enter?ticket=x&to=/",
      ".%73luice/enter?ticket=x",
    ];
    for (const path of paths) {
      const said = await onItself("fetch", (await own("")) + path);
      assert.doesNotMatch(said.got ?? "", /"username"|CANARY-other/, path);
      if (said.got)
        assert.match(said.got, /nothing|EndpointError|NoEndpoint|not found|NoRoute/i, `${path}: ${said.got}`);
    }
    const raw = await attempt("fetch", `${new URL(evil.url()).origin}/../../api/v2/users`);
    assert.ok(inside ? raw.refused : raw.got === "nothing", JSON.stringify(raw));
  });

  await attack("links_that_lead_away_through_the_portal", async () => {
    for (const to of [
      "//evil.example/",
      "/\\evil.example",
      "https://evil.example/",
      "/.sluice/enter?ticket=x",
      "javascript:alert(1)",
      "/%0d%0aSet-Cookie:x=y",
    ]) {
      await page.goto(`${home}/endpoints/${other.id}?to=${encodeURIComponent(to)}`);
      assert.ok(page.url().startsWith(new URL(other.address).origin), `${to}: ${page.url()}`);
      assert.equal(await page.locator("h1").innerText(), "CANARY-other");
    }
    for (const next of [evil.url(), `//${new URL(evil.url()).host}/`, `/\\${new URL(evil.url()).host}`]) {
      await page.goto(`${home}/sign-in?next=${encodeURIComponent(next)}`);
      assert.equal(new URL(page.url()).origin, home, next);
    }
  });

  await attack("what_it_was_told_of_the_way_in", async () => {
    const told = await evil.evaluate(() =>
      [
        document.referrer,
        location.search,
        JSON.stringify(history.state),
        ...performance.getEntries().map((entry) => entry.name),
      ].join(" "),
    );
    // what it asked for itself is there, a ticket that lets in is not
    assert.match(told, /\/attacks\.js/);
    assert.doesNotMatch(told, /ticket=[\w-]{43}/);
    assert.doesNotMatch(await evil.evaluate(() => document.referrer), /\/(jobs|endpoints)\//);
    const heads = await evil.evaluate(() => fetch(here("kept")).then((answer) => answer.text()));
    // what it was shown of its own is there: the list is of what really came
    assert.match(heads, /GET \/data/);
    const secrets = (await stage.context.cookies())
      .filter((cookie) => /sluice_(session|refresh|pass)/.test(cookie.name))
      .map((cookie) => cookie.value);
    assert.ok(secrets.length >= (inside ? 2 : 4));
    assert.doesNotMatch(heads, /^cookie:.*sluice_/im);
    assert.doesNotMatch(heads, /ticket=[\w-]{43}/);
    for (const secret of [...secrets, ...(inside ? [new URL(other.address).pathname.split("/")[3]] : [])])
      assert.ok(!heads.includes(secret), `${secret} in ${heads.split("\n\n").find((head) => head.includes(secret))}`);
  });

  // on one host cookies are everybody's: who can set very many keeps nobody out for longer than one page
  await attack("very_many_cookies_by_its_scripts", async () => {
    await evil.evaluate(() => {
      try {
        // biome-ignore lint/suspicious/noDocumentCookie: what attackers have is this
        for (let i = 0; i < 60; i++) document.cookie = `script${i}=${"x".repeat(3_900)}; path=/`;
      } catch (fault) {
        return fault.name;
      }
    });
    if (mode !== "ports") return unharmed();
    assert.equal((await page.goto(`${home}/profile`)).status(), 431);
    assert.equal((await page.goto(`${home}/sign-in`)).status(), 200);
    await signIn(page, stage.victim);
  });

  await test.test("there_are_enough_of_them", () => assert.ok(tried.length >= 20, tried.length));
  await stage.close();
  await browser.close();
}

const passOf = async ({ context, other }) =>
  (await context.cookies(other.address)).find((cookie) => cookie.name === `sluice_pass_${other.id}`).value;

/** As nobody's browser asks, so under whatever name. */
const status = (port, host, headers, path = "/") =>
  new Promise((told, failed) => {
    get({ host: "127.0.0.1", port, path, headers: { Host: host, ...headers } }, (answer) => {
      answer.resume();
      told(answer.statusCode);
    }).on("error", failed);
  });

const counted = (page) => page.evaluate(() => fetch(here("count")).then((answer) => answer.text())).then(Number);

/** A victim with an app of their own, and a hostile one that was shared with them; inside of the portal it is their own. */
async function furnished(browser, home, inside) {
  const boss = await signedIn(browser);
  const people = ["victim", "mallory"].map((stem) => ({ name: freshName(stem), password: "a first password" }));
  for (const person of people) await addPerson(boss.page, person);
  await boss.context.close();
  const [victim, mallory] = people;
  const theirs = await desk(victim);
  const attacker = inside ? theirs : await desk(mallory);
  const names = ["evil", "other"].map((stem) => freshName(stem).replaceAll("-", "_"));
  const job = (jobName, name) => ({
    jobName,
    image: "none",
    extras: { sluice: { environment: { WHO: name }, endpoints: [{ recipe: "port", name }] } },
    taskRoles: [{ name: "main", cpuNumber: 0, memoryMB: 200, command: COMMAND }],
  });
  const key = {
    evil: await attacker.submit(job(names[0], "evil")),
    other: await theirs.submit(job(names[1], "other")),
  };
  const { page, context } = await visitor(browser, { baseURL: home });
  await signIn(page, victim);
  await page.goto(`/jobs/${key.other}`);
  const safe = await openFrom(context, page, "other");
  const { evil, evilId } = inside
    ? await openOwn(context, page, key.evil)
    : await openShared(browser, context, home, { mallory, victim, job: key.evil });
  assert.equal(await evil.locator("h1").innerText(), "CANARY-evil");
  const jobs = await theirs.names();
  const address = new URL(".", safe.url()).href;
  const link = await page.locator("#endpoint-other a.button").getAttribute("href");
  return {
    victim,
    page,
    context,
    evil,
    evilId,
    key,
    jobs,
    attackerToken: attacker.token,
    desk: theirs,
    other: { page: safe, address, id: link.split("/").at(-1) },
    async close() {
      await attacker.stop(names[0]);
      await theirs.stop(names[1]);
      await context.close();
    },
  };
}

async function openOwn(context, page, job) {
  await page.goto(`/jobs/${job}`);
  const opened = await openFrom(context, page, "evil");
  await page.goBack();
  return { evil: opened };
}

async function openShared(browser, context, home, { mallory, victim, job }) {
  const theirs = await visitor(browser, { baseURL: home });
  await signIn(theirs.page, mallory);
  await theirs.page.goto(`/jobs/${job}`);
  await theirs.page.locator("#endpoint-evil a.button").waitFor({ timeout: 60_000 });
  const share = theirs.page.locator("#share-evil");
  await share.locator("summary").click();
  await share.locator(".more input").fill(victim.name);
  await share.locator(".more button").click();
  const link = await share.locator("copy-button").getAttribute("text");
  await theirs.context.close();
  const page = await context.newPage();
  await page.goto(link);
  return { evil: page, evilId: link.split("/").at(-1) };
}
