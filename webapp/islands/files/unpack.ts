import { make, type Words } from "../log/dom";
import type { Entry } from "./api";
import { answer, no, shown } from "./dialogs";

const ARCHIVE = /\.(zip|tar|tgz|txz|tar\.gz|tar\.xz)$/i;
const COLLISIONS = ["refuse", "keep", "replace"];

export const isArchive = (entry: Entry) => entry.kind === "file" && ARCHIVE.test(entry.name);

/** Into a new folder of a name, or among what is there; undefined: they would rather not. */
export async function askUnpack(words: Words, entry: Entry): Promise<{ name: string; collisions: string } | undefined> {
  const name = make("input", {
    class: "input",
    value: (entry.name.split("/").pop() ?? "").replace(ARCHIVE, ""),
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    "aria-label": words("newFolder"),
  });
  const same = make(
    "select",
    { class: "input", disabled: true, "aria-label": words("same") },
    ...COLLISIONS.map((one) => make("option", { value: one }, words(`same${one[0]?.toUpperCase()}${one.slice(1)}`))),
  );
  const choice = (here: boolean, word: string) => {
    const radio = make("input", { type: "radio", name: "where", checked: !here });
    radio.addEventListener("change", () => {
      name.disabled = here;
      same.disabled = !here;
    });
    return make("label", { class: "choice" }, radio, make("span", {}, words(word)));
  };
  const yes = make("button", { class: "button primary", type: "submit", value: "yes" }, words("unpack"));
  const into = make("div", { class: "field" }, choice(false, "unpackNew"), name);
  const here = make("div", { class: "field" }, choice(true, "unpackHere"), same);
  const dialog = shown(words("unpackAsk", entry.name), [into, here], [no(words), yes]);
  // the first button of a form is what Enter means, and that would be the other one
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    if (name.reportValidity()) dialog.close("yes");
  });
  if (!(await answer(dialog))) return undefined;
  return name.disabled ? { name: "", collisions: same.value } : { name: name.value, collisions: "" };
}
