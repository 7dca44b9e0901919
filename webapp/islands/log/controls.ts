import { icon, make } from "./dom";

/** Buttons and menus of the log's tools, with icons out of one sprite. */
export class Controls {
  readonly #icons: string;

  constructor(icons: string) {
    this.#icons = icons;
  }

  button(name: string, label: string, press: () => void): HTMLButtonElement {
    const button = bare(label, {});
    button.append(icon(this.#icons, name));
    button.addEventListener("click", press);
    return button;
  }

  /** A button that stays pressed; `face` is text where it is no icon. */
  toggle(face: { icon: string } | string, label: string, press: (on: boolean) => void): HTMLButtonElement {
    const button = bare(label, { "aria-pressed": "false" });
    button.append(typeof face === "string" ? face : icon(this.#icons, face.icon));
    button.addEventListener("click", () => {
      const on = !pressed(button);
      hold(button, on);
      press(on);
    });
    return button;
  }

  menu(name: string, label: string, sheet: HTMLElement): HTMLDetailsElement {
    const summary = make("summary", { class: "button quiet only-icon", title: label, "aria-label": label });
    summary.append(icon(this.#icons, name));
    const details = make("details", { class: "menu" }, summary, sheet);
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      event.stopPropagation();
      details.open = false;
      summary.focus();
    });
    details.addEventListener("focusout", (event) => {
      if (event.relatedTarget instanceof Node && !details.contains(event.relatedTarget)) details.open = false;
    });
    return details;
  }
}

export const pressed = (button: HTMLButtonElement) => button.getAttribute("aria-pressed") === "true";

export function hold(button: HTMLButtonElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}

function bare(label: string, more: Record<string, string>): HTMLButtonElement {
  return make("button", {
    class: "button quiet only-icon",
    type: "button",
    title: label,
    "aria-label": label,
    ...more,
  });
}
