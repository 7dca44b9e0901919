/*
 * What Turbo leaves to the page: the theme stands on <html>, which Turbo does not replace, and somebody who can not see
 * that the page has changed must be put where it begins, or where a form was refused.
 */

type Render = CustomEvent<{ newBody: HTMLElement }>;

const root = document.documentElement;

document.addEventListener("turbo:before-render", (event) => {
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
