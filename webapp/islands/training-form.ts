/** The form of ModelArts' kind: engines that the chosen devices can not run are put aside, and rows for parameters come without a round. */
class TrainingForm extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener("change", this.#changed);
    this.addEventListener("click", this.#clicked);
    this.#sift();
  }

  disconnectedCallback(): void {
    this.removeEventListener("change", this.#changed);
    this.removeEventListener("click", this.#clicked);
  }

  #changed = (event: Event): void => {
    if (event.target instanceof HTMLInputElement && event.target.name === "flavor") this.#sift();
  };

  /** One that was chosen already stays: the page that follows says what is the matter. */
  #sift(): void {
    const device = this.querySelector<HTMLInputElement>("input[name=flavor]:checked")?.dataset.device ?? "any";
    for (const group of this.querySelectorAll<HTMLOptGroupElement>("#engine optgroup")) {
      const made = group.dataset.device ?? "any";
      const suits = made === "any" || made === device;
      group.hidden = !suits && group.querySelector("option:checked") === null;
    }
  }

  #clicked = (event: Event): void => {
    const more = event.target instanceof Element ? event.target.closest("button[name=more]") : null;
    const rows = this.querySelector("ol.parameters");
    const last = rows?.lastElementChild;
    if (!more || !rows || !last) return;
    event.preventDefault();
    const row = last.cloneNode(true) as HTMLElement;
    for (const field of row.querySelectorAll("input")) {
      field.value = "";
      field.removeAttribute("placeholder");
    }
    rows.append(row);
    row.querySelector("input")?.focus();
  };
}

customElements.define("training-form", TrainingForm);
