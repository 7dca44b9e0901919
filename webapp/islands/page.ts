/*
 * What Turbo leaves to the page: the theme stands on <html>, which Turbo does not replace, and somebody who can not see
 * that the page has changed must be put where it begins, or where a form was refused. A form that does not reach the
 * gateway says so: Turbo gives its button back and is silent.
 */

type Render = CustomEvent<{ newBody: HTMLElement }>;

const root = document.documentElement;

// the policy in force is that of the page that was loaded first: what comes later has another nonce, which nobody accepts
const nonce = () => document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]");
const accepted = nonce()?.content;

document.addEventListener("turbo:before-render", (event) => {
  const coined = nonce();
  if (coined && accepted) coined.content = accepted;
  const coming = (event as Render).detail.newBody.closest("html");
  const theme = coming?.dataset.theme;
  if (theme) root.dataset.theme = theme;
});

document.addEventListener("click", (event) => {
  const chosen = event.target instanceof Element ? event.target.closest("[data-theme-choice] button") : null;
  if (chosen instanceof HTMLButtonElement) root.dataset.theme = chosen.value;
});

document.addEventListener("turbo:render", () => {
  if (root.hasAttribute("data-turbo-preview")) return;
  const refused = document.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (refused) refused.focus();
  else if (document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
});

type Sent = CustomEvent<{ success: boolean }>;
let sent: HTMLFormElement | undefined;

document.addEventListener("turbo:submit-end", (event) => {
  const form = event.target;
  sent = (event as Sent).detail.success && form instanceof HTMLFormElement ? form : undefined;
});

// a page that comes again as it was keeps what is open and what was typed: of a form that has been granted, neither is wanted
document.addEventListener("turbo:load", () => {
  const form = sent;
  sent = undefined;
  if (!form?.isConnected || !document.querySelector(".notice.good")) return;
  form.reset();
  form.closest<HTMLElement>("[popover]")?.hidePopover();
});

type Failed = CustomEvent<{ request: { isSafe: boolean } }>;
const unsent = document.createElement("div");
unsent.className = "unsent";
unsent.popover = "manual"; // above all else
const words = document.createElement("p");
const away = document.createElement("button");
away.type = "button";
away.className = "button small";
unsent.append(words, away);

document.addEventListener("turbo:fetch-request-error", (event) => {
  const form = event.target;
  if (event.defaultPrevented || !(form instanceof HTMLFormElement) || (event as Failed).detail.request.isSafe) return;
  const said = document.querySelector<HTMLMetaElement>("meta[name=unsent]");
  words.textContent = said?.content ?? "";
  words.setAttribute("role", "alert");
  away.textContent = said?.dataset.away ?? "";
  // in the dialog whose form it was, which a click elsewhere would close
  (form.closest(":popover-open") ?? document.body).append(unsent);
  unsent.showPopover();
});

const putAway = () => unsent.remove();
away.addEventListener("click", putAway);
for (const past of ["turbo:submit-start", "turbo:before-cache"]) document.addEventListener(past, putAway);
