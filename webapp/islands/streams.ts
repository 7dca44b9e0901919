import { StreamActions, type StreamElement } from "@hotwired/turbo";
import { place } from "./job-list";

/* What streams can do beside Turbo's own: rows that keep their order, and numbers that are written only when they are others. */

StreamActions.place = function () {
  for (const rows of this.targetElements)
    for (const row of [...this.templateContent.children]) place(rows as HTMLElement, row as HTMLElement);
};

StreamActions.count = function () {
  const words = (this.templateContent.textContent ?? "").trim();
  for (const target of this.targetElements) if (target.textContent !== words) target.textContent = words;
};

/**
 * What Turbo's own function does, but for the focus: that one gives it back in the frame after, to what had it before, and
 * so takes it from whoever has begun to type somewhere else meanwhile.
 */
export function apply(message: string): void {
  const coming = new DOMParser().parseFromString(message, "text/html");
  for (const stream of coming.querySelectorAll("turbo-stream"))
    document.documentElement.append(document.adoptNode(stream));
}

type Render = (stream: StreamElement) => Promise<void> | void;

document.addEventListener("turbo:before-stream-render", (event) => {
  const { detail } = event as CustomEvent<{ render: Render }>;
  const render = detail.render;
  detail.render = async (stream) => {
    const focused = document.activeElement;
    await render(stream);
    if (focused?.id && !focused.isConnected) document.getElementById(focused.id)?.focus({ preventScroll: true });
  };
});
