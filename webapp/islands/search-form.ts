const PAUSE = 220;

/** Submits the form inside it while somebody types, once they pause. Its answer goes to the form's Turbo frame. */
class SearchForm extends HTMLElement {
  #pending: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    this.addEventListener("input", this.#typed);
    this.addEventListener("submit", this.#submitted);
  }

  disconnectedCallback(): void {
    this.removeEventListener("input", this.#typed);
    this.removeEventListener("submit", this.#submitted);
    clearTimeout(this.#pending);
  }

  #typed = (event: Event): void => {
    // while an input method is composing, what stands there are not yet the letters that are meant
    if (event instanceof InputEvent && event.isComposing) return;
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => this.querySelector("form")?.requestSubmit(), PAUSE);
  };

  #submitted = (): void => clearTimeout(this.#pending);
}

customElements.define("search-form", SearchForm);
