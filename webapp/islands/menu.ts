/* Menus are <details class="menu">, which open without a script; they close when one looks elsewhere. */

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    const inside = event.target instanceof Node && menu.contains(event.target);
    const chosen = event.target instanceof Element && event.target.closest(".menu a, .menu button");
    if (!inside || chosen) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});
