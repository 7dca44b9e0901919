/** Where there is no room for form and text side by side, one of them is shown; the choice stands on the page around them. */
class SideTabs extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    this.addEventListener("click", this.#clicked);
    this.addEventListener("keydown", this.#pressed);
  }

  disconnectedCallback(): void {
    this.removeEventListener("click", this.#clicked);
    this.removeEventListener("keydown", this.#pressed);
  }

  #clicked = (event: Event): void => {
    const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
    if (tab) this.#turn(tab);
  };

  #pressed = (event: KeyboardEvent): void => {
    if (!event.key.startsWith("Arrow")) return;
    const other = this.querySelector<HTMLElement>("[role=tab][aria-selected=false]");
    if (!other) return;
    this.#turn(other);
    other.focus();
  };

  #turn(tab: HTMLElement): void {
    for (const other of this.querySelectorAll<HTMLElement>("[role=tab]")) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    const around = this.closest<HTMLElement>(".writing");
    if (around) around.dataset.side = tab.dataset.side ?? "";
  }
}

customElements.define("side-tabs", SideTabs);
