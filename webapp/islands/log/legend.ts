import { make, type Words } from "./dom";
import { MOST } from "./merged";
import type { Task } from "./tools";

/** The tasks whose logs are merged, each in its colour, to be left out and taken in. */
export function legend(
  tasks: Task[],
  shown: Task[],
  words: Words,
  choose: (src: string) => void,
  total: number,
): HTMLElement {
  const list = make("div", { class: "log-legend", role: "group", "aria-label": words("merged") });
  for (const task of tasks) {
    const place = shown.findIndex(({ src }) => src === task.src);
    const full = place < 0 && shown.length >= MOST;
    const chip = make(
      "button",
      {
        type: "button",
        class: `log-chip ${place < 0 ? "" : `of-${place % 8}`}`,
        "aria-pressed": String(place >= 0),
        "data-src": task.src,
        disabled: full,
        title: full ? words("mergedFull", MOST) : undefined,
      },
      task.label,
    );
    chip.addEventListener("click", () => choose(task.src));
    list.append(chip);
  }
  if (total > MOST) list.append(make("span", { class: "faint small" }, words("mergedMost", shown.length, total)));
  return list;
}
