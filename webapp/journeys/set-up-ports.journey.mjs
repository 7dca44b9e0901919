// Where apps have ports, only a browser can say whether it gets to them: the page of the set-up lets it look.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

const address = process.env.SLUICE_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { openBrowser, signedIn } = await import("./browser.mjs");
const { layCable } = await import("./cable.mjs");

// an address of this machine at which no gateway and no other journey listens: only what leads there is reached
const OUTSIDE = "127.0.0.3";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

/** What a browser that comes to the portal there finds: the ports that it reached, those that it did not, and the advice. */
async function found(origin) {
  const { page, context } = await signedIn(browser, origin && { baseURL: origin });
  const probe = page.locator("door-probe");
  await page.goto("/endpoints");
  await probe.locator(".found").nth(1).waitFor();
  await page.waitForFunction(() => !document.querySelector("door-probe .found.busy"));
  const ports = async (tone) =>
    (await probe.locator(`.found.${tone}`).allInnerTexts()).map((text) => Number(text.match(/:(\d+)/)[1]));
  const seen = {
    good: await ports("good"),
    bad: await ports("bad"),
    advice: await probe.locator(".advice").allInnerTexts(),
  };
  await context.close();
  return seen;
}

test("a_browser_that_gets_to_the_portal_only_is_told_which_ports_are_not_reached", {
  skip: !address && "SLUICE_PORTS_URL names no gateway",
}, async (t) => {
  const { good: range, bad, advice } = await found();
  assert.deepEqual([range.length, bad, advice], [2, [], []]);

  // as through a firewall that lets the portal's port pass
  const portal = await layCable({ address: OUTSIDE });
  t.after(() => portal.close());
  const none = await found(portal.origin);
  assert.deepEqual([none.good, none.bad], [[], range]);
  assert.match(none.advice.join(), /Open the whole range to this gateway/);

  // or another program's answers at one of them, however kindly
  const [first, last] = range;
  const stranger = createServer((_, answer) => {
    answer.setHeader("Access-Control-Allow-Origin", "*");
    answer.end("something else");
  });
  await new Promise((listening, failed) => stranger.on("error", failed).listen(first, OUTSIDE, listening));
  t.after(() => stranger.close());
  const both = await layCable({ ports: [last], address: OUTSIDE });
  t.after(() => both.close());
  const one = await found(both.origin);
  assert.deepEqual([one.good, one.bad, one.advice.length], [[last], [first], 1]);
});
