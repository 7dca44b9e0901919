import { StreamActions } from "@hotwired/turbo";
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
