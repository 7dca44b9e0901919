import type { Text } from "@codemirror/state";

/** Where in a job a position of its text is; "[]" is some item of a list. */
export type Place = { path: string[]; key: boolean; from: number; typed: string };

const LINE = /^(\s*)((?:-\s+)*)(?:(["']?)([^\s"'#{}[\],:][^"'#{}[\],:]*?)\3\s*:(?=\s|$))?/;
const WORD = /["']?[\w.$/-]*$/;

export function placeOf(doc: Text, position: number, json: boolean): Place {
  return json ? placeInJson(doc.sliceString(0, position), position) : placeInYaml(doc, position);
}

/** By indentation, which is right while a line is still being written and no parser knows it. */
function placeInYaml(doc: Text, position: number): Place {
  const line = doc.lineAt(position);
  const before = line.text.slice(0, position - line.from);
  const [, indent = "", dashes = "", , key] = LINE.exec(before) ?? [];
  const typed = WORD.exec(before)?.[0] ?? "";
  let limit = indent.length + dashes.length;
  const path: string[] = key === undefined ? [] : [key];
  for (let dash = dashes.lastIndexOf("-"); dash >= 0; dash = dashes.lastIndexOf("-", dash - 1)) {
    path.unshift("[]");
    limit = indent.length + dash + 1;
    if (dash === 0) break;
  }
  for (let number = line.number - 1; number >= 1 && limit > 0; number--) {
    const [, at = "", marks = "", , name] = LINE.exec(doc.line(number).text) ?? [];
    const column = at.length + marks.length;
    if (name !== undefined && column < limit) {
      path.unshift(name);
      limit = column;
    }
    if (marks && at.length < limit && column <= limit) {
      path.unshift("[]");
      limit = at.length + 1;
    }
  }
  return { path, key: key === undefined, from: position - typed.length, typed };
}

function placeInJson(text: string, position: number): Place {
  const open: { step: string; list: boolean }[] = [];
  let key = true;
  let name = "";
  let from = position;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      from = at;
      if (end >= text.length) break;
      if (key) name = text.slice(at + 1, end);
      at = end;
      from = position;
    } else if (letter === "{" || letter === "[") {
      open.push({ step: open.at(-1)?.list ? "[]" : name, list: letter === "[" });
      key = letter === "{";
      name = "";
    } else if (letter === "}" || letter === "]") {
      open.pop();
      key = false;
    } else if (letter === ":") key = false;
    else if (letter === ",") {
      key = open.at(-1)?.list === false;
      name = "";
    }
  }
  if (from === position) from -= WORD.exec(text)?.[0].length ?? 0;
  const path = open.slice(1).map(({ step }) => step);
  if (open.at(-1)?.list) path.push("[]");
  else if (!key) path.push(name);
  return { path, key, from, typed: text.slice(from) };
}
