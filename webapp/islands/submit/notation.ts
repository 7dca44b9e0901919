import { Document, Lexer, parseDocument } from "yaml";
import { JobText } from "./job-text";
import { isJson, same } from "./values";

/** @property comments how many the new text can not have */
export type Other = { text: string; comments: number };

const READ = { merge: true, prettyErrors: false, intAsBigInt: true } as const;
const WRITTEN = { lineWidth: 0, indentSeq: true } as const;
/** What the lexer puts before a scalar: text that begins with # is no comment then. */
const SCALAR = "\u001f";

/** The same job as JSON, or as YAML if it is JSON; nothing where that can not be, or would say something else. */
export function otherNotation(text: string): Other | undefined {
  const job = JobText.read(text);
  if (!job) return undefined;
  const meant = parseDocument(text, READ).toJS({ mapAsMap: true });
  const json = isJson(text);
  const written = json ? new Document(meant).toString(WRITTEN) : jsonOf(meant);
  const read = written === undefined ? undefined : JobText.read(written);
  if (written === undefined || !read || !same(read.value, job.value)) return undefined;
  return { text: json ? written : `${written}\n`, comments: json ? 0 : commentsIn(text) };
}

/** Numbers as long as they were written, keys in their order: what JSON.stringify does to neither. */
function jsonOf(value: unknown, indent = ""): string | undefined {
  if (value instanceof Map) {
    const pairs = [...value].map(([key, inner]) => [simple(key), jsonOf(inner, `${indent}  `)]);
    return braced("{}", pairs.every(([key, inner]) => key !== undefined && inner !== undefined) && pairs, indent);
  }
  if (Array.isArray(value)) {
    const items = value.map((inner) => [jsonOf(inner, `${indent}  `)]);
    return braced("[]", items.every(([item]) => item !== undefined) && items, indent);
  }
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  return JSON.stringify(value);
}

const simple = (key: unknown) => (key instanceof Object ? undefined : JSON.stringify(String(key)));

function braced(marks: string, parts: false | (string | undefined)[][], indent: string): string | undefined {
  if (!parts) return undefined;
  if (parts.length === 0) return marks;
  const lines = parts.map((part) => `${indent}  ${part.join(": ")}`);
  return `${marks[0]}\n${lines.join(",\n")}\n${indent}${marks[1]}`;
}

function commentsIn(text: string): number {
  const tokens = [...new Lexer().lex(text)];
  return tokens.filter((token, at) => token.startsWith("#") && tokens[at - 1] !== SCALAR).length;
}
