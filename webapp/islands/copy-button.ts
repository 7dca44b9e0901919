/** Copies the text of its attribute, or of the element that `from` names; without a script there is nothing to see. */
class CopyButton extends HTMLElement {
  #resting: ReturnType<typeof setTimeout> | undefined;

  connectedCallback(): void {
    const kept = this.querySelector("button");
    const button = kept ?? document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = this.#label("label");
    button.setAttribute("aria-live", "polite");
    button.onclick = () => this.#copy(button);
    if (!kept) this.append(button);
  }

  disconnectedCallback(): void {
    clearTimeout(this.#resting);
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    await this.#write(this.#text());
    button.textContent = this.#label("done");
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      button.textContent = this.#label("label");
    }, 2000);
  }

  async #write(text: string): Promise<void> {
    // a plain http address other than localhost has no clipboard of the new kind
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const lent = document.createElement("textarea");
    lent.value = text;
    lent.readOnly = true;
    lent.className = "unseen";
    this.append(lent);
    lent.select();
    document.execCommand("copy");
    lent.remove();
    this.querySelector("button")?.focus();
  }

  #text(): string {
    const from = this.getAttribute("from");
    return (from ? document.getElementById(from)?.textContent : this.getAttribute("text")) ?? "";
  }

  #label(attribute: string): string {
    return this.getAttribute(attribute) ?? "";
  }
}

customElements.define("copy-button", CopyButton);
