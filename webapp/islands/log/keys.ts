import { make, type Words } from "./dom";

/** What can be done by keyboard, in the order in which it is told. */
const KEYS: [string[], string][] = [
  [["/", "Ctrl F"], "keySearch"],
  [["n", "N"], "keyMatches"],
  [["Enter", "Shift Enter"], "keyInSearch"],
  [["g", "G"], "keyEnds"],
  [["f"], "keyFollow"],
  [["PgUp", "PgDn", "↑", "↓"], "keyScroll"],
  [[":"], "keyGoTo"],
  [["l"], "keyLink"],
  [["Ctrl A"], "keyAll"],
  [["c"], "keyCause"],
  [["t"], "keyTimes"],
  [["w"], "keyWrap"],
  [["z"], "keyLarge"],
  [["?"], "keyHelp"],
];

/** The table of keys, as a dialog. */
export function keyTable(words: Words): HTMLDialogElement {
  const rows = KEYS.map(([keys, sentence]) =>
    make(
      "tr",
      {},
      make("td", {}, ...keys.flatMap((key, i) => [i > 0 ? " " : undefined, make("kbd", {}, key)])),
      make("td", {}, words(sentence)),
    ),
  );
  const close = make("button", { class: "button", type: "submit", autofocus: true }, words("close"));
  const title = make("h2", {}, words("keys"));
  const dialog = make(
    "dialog",
    { class: "log-keys", "aria-label": words("keys") },
    title,
    make("table", {}, make("tbody", {}, ...rows)),
    make("form", { method: "dialog" }, close),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
