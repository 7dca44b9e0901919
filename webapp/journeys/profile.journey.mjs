import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { gateway, newcomer, openBrowser, opener, signIn, visitor } from "./browser.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

async function makeToken(page, name) {
  await page.locator(opener("new-token")).click();
  await page.locator("#token-name").fill(name);
  await page.locator("#new-token input[name=scopes]").first().check();
  await page.locator("#new-token button[type=submit]").click();
  await page.locator("#token-text").waitFor();
  return page.locator("#token-text").innerText();
}

test("a_token_is_shown_once_copied_by_a_button_and_revoked", async () => {
  const { page, context, complaints } = await newcomer(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto("/profile");
  const token = await makeToken(page, "nightly training");
  await page.locator("copy-button button").click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
  assert.equal(await page.locator("copy-button button").innerText(), "Copied");

  await page.goto("/profile");
  assert.equal(await page.locator("#token-text").count(), 0, "never shown again");
  assert.ok(!(await page.content()).includes(token));
  await page.locator("#tokens .list button.danger").first().click();
  await page.locator("#tokens dialog:popover-open button[type=submit]").click();
  await page.locator("#tokens .empty").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("every_form_of_the_profile_works_without_script", async () => {
  const { page, context, person } = await newcomer(browser, { javaScriptEnabled: false });
  await page.goto("/profile");
  assert.ok((await makeToken(page, "from a script")).length > 20);
  await page.goto("/profile");
  await page.locator(opener("new-key")).click();
  await page.locator("#key-text").fill("this is no key");
  await page.locator("#new-key button[type=submit]").click();
  await page.locator("#key-text[aria-invalid=true]").waitFor();
  await page.locator("#key-text").fill(ed25519());
  await page.locator("form[action='/profile/keys'] button[type=submit]").click();
  await page.locator("#keys .list li", { hasText: "SHA256:" }).waitFor();

  await page.locator("#current").fill(person.password);
  await page.locator("#new-password").fill("a second password");
  await page.locator("#again").fill("not the same one");
  await page.locator("form[action='/profile/password'] button").click();
  await page.locator("#again[aria-invalid=true]").waitFor();
  await page.locator("#current").fill(person.password);
  await page.locator("#new-password").fill("a second password");
  await page.locator("#again").fill("a second password");
  await page.locator("form[action='/profile/password'] button").click();
  await page.locator(".notice.good").waitFor();

  await page.locator("main button[name=language][value=zh]").click();
  await page.locator("html[lang=zh]").waitFor();
  await page.locator("main button[name=theme][value=dark]").click();
  await page.locator("html[data-theme=dark]").waitFor();
  await context.close();
});

test("a_session_elsewhere_can_be_ended_from_here", async () => {
  const { page, context, person } = await newcomer(browser);
  await page.goto("/profile");
  const elsewhere = await visitor(browser);
  await signIn(elsewhere.page, person);
  await page.reload();
  assert.equal(await page.locator("#sessions .list li").count(), 2);
  await page.locator("form[action$='/end'] button").click();
  await page.locator("#sessions .list li").nth(1).waitFor({ state: "detached" });
  const cut = async () => {
    await elsewhere.page.goto("/profile");
    return new URL(elsewhere.page.url()).pathname === "/sign-in";
  };
  const deadline = Date.now() + 5_000;
  let out = await cut();
  while (!out && Date.now() < deadline) out = await cut();
  assert.ok(out, "within five seconds");
  await context.close();
  await elsewhere.context.close();
});

test("times_are_told_in_the_language_of_the_page", async () => {
  const { page, context } = await newcomer(browser, { language: "zh" });
  await page.goto("/profile");
  const seen = page.locator("#sessions time").first();
  await page.waitForFunction(() => !document.querySelector("#sessions time")?.textContent?.includes("UTC"));
  assert.match(await seen.innerText(), /[前现在刚]/);
  assert.ok((await seen.getAttribute("title"))?.includes("年"));
  await context.close();
});

test("the_shell_and_sign_in_page_stay_light", async () => {
  const { page, context } = await visitor(browser);
  const bytes = { script: 0, style: 0 };
  const measured = [];
  page.on("response", (response) => {
    const kind = response.request().resourceType() === "stylesheet" ? "style" : response.request().resourceType();
    if (!(kind in bytes)) return;
    measured.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => {
          bytes[kind] += responseBodySize;
        }),
    );
  });
  await page.goto(`${gateway}/sign-in`, { waitUntil: "networkidle" });
  await Promise.all(measured);
  assert.ok(bytes.script > 0 && bytes.script <= 60 * 1024, `JavaScript: ${bytes.script} bytes as sent`);
  assert.ok(bytes.style > 0 && bytes.style <= 20 * 1024, `CSS: ${bytes.style} bytes as sent`);
  await context.close();
});

/** A public key as ssh-keygen writes it: length and bytes of its kind, length and bytes of the key. */
function ed25519() {
  const { x } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
  const parts = [Buffer.from("ssh-ed25519"), Buffer.from(x, "base64url")].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `ssh-ed25519 ${Buffer.concat(parts).toString("base64")} guest@laptop`;
}
