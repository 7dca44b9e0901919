import { devicesOf, withDataset, withImage } from "./catalogue";
import { JobText } from "./job-text";
import type { Step } from "./values";

/** Puts what is chosen from the catalogues into the text of the job. What there is to choose comes when somebody wants to see it. */
class CataloguePicker extends HTMLElement {
  /** Of which role the image is chosen. */
  #role: Step | undefined;

  connectedCallback(): void {
    this.addEventListener("click", this.#clicked);
    this.addEventListener("turbo:frame-load", this.#sift);
    this.addEventListener("change", this.#sift);
    this.addEventListener("toggle", this.#sift, { capture: true });
    this.closest("job-editor")?.addEventListener("click", this.#opened);
  }

  disconnectedCallback(): void {
    this.removeEventListener("click", this.#clicked);
    this.removeEventListener("turbo:frame-load", this.#sift);
    this.removeEventListener("change", this.#sift);
    this.removeEventListener("toggle", this.#sift, { capture: true });
  }

  #opened = (event: Event): void => {
    const opener = event.target instanceof Element ? event.target.closest("[popovertarget=pick-image]") : null;
    if (opener && !this.contains(opener)) {
      const at = opener.closest<HTMLElement>("section.role")?.dataset.at;
      this.#role = at;
    }
  };

  #clicked = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>("button[data-pick]") : null;
    if (!button) return;
    const { pick, image, input, place, storage } = button.dataset;
    if (pick === "image" && image) this.#ask((job) => withImage(job, this.#role, image));
    if (pick === "dataset" && input && place) this.#ask((job) => withDataset(job, { input, place, storage }));
    button.closest<HTMLElement>("[popover]")?.hidePopover();
  };

  /** Images that the devices of the job can not run stand behind a word of how many there are. */
  #sift = (): void => {
    const text = this.closest("job-editor")?.querySelector<HTMLTextAreaElement>("#text")?.value ?? "";
    const job = JobText.read(text);
    const devices = job ? devicesOf(job, JSON.parse(this.dataset.types ?? "{}")) : undefined;
    const all = this.querySelector<HTMLInputElement>("input.all")?.checked ?? false;
    let others = 0;
    for (const entry of this.querySelectorAll<HTMLElement>("li[data-device]")) {
      const suits = devices === undefined || entry.dataset.device === "any" || entry.dataset.device === devices;
      if (!suits) others++;
      entry.hidden = !suits && !all;
    }
    const words = this.querySelector<HTMLElement>(".others");
    if (words) words.hidden = others === 0;
  };

  #ask(detail: (job: JobText) => string): void {
    this.dispatchEvent(new CustomEvent("job-change", { detail, bubbles: true }));
  }
}

customElements.define("catalogue-picker", CataloguePicker);
