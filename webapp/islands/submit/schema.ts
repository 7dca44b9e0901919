import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";
import { placeOf } from "./place";
import { isJson } from "./values";

export type Schema = {
  type?: string | string[];
  description?: string;
  "x-description-zh"?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  required?: string[];
  properties?: { [name: string]: Schema };
  patternProperties?: { [pattern: string]: Schema };
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  then?: Schema;
};

/** Of which protocol the text is, and what else is known of this installation. */
export type Knowledge = { schema: (text: string) => Schema | undefined; names: (field: string) => string[] };

const CODE = /Block(Literal|Folded)?.*Content|BlockLiteral|Comment/;

/** All schemas that say something of this place; branches count whatever their condition. */
function at(schema: Schema | undefined, path: string[]): Schema[] {
  let found = schema ? spread(schema) : [];
  for (const step of path) found = found.flatMap((one) => below(one, step)).flatMap(spread);
  return found;
}

function spread(schema: Schema): Schema[] {
  return [schema, ...(schema.allOf ?? []).flatMap(spread), ...(schema.then ? spread(schema.then) : [])];
}

function below(schema: Schema, step: string): Schema[] {
  if (step === "[]") return schema.items ? [schema.items] : [];
  const known = schema.properties?.[step];
  if (known) return [known];
  const patterns = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) =>
    new RegExp(pattern, "u").test(step),
  );
  if (patterns.length > 0) return patterns.map(([, inner]) => inner);
  return typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : [];
}

function words(schemas: Schema[]): string {
  const chinese = document.documentElement.lang === "zh";
  const said = schemas.map((one) => (chinese ? one["x-description-zh"] : undefined) ?? one.description);
  return said.find(Boolean) ?? "";
}

function kinds(schemas: Schema[]): string {
  const kind = schemas.map(({ type }) => (Array.isArray(type) ? type.join(" | ") : type)).find(Boolean) ?? "";
  const { minimum, maximum } = schemas.find((one) => one.minimum !== undefined || one.maximum !== undefined) ?? {};
  const bounds = minimum !== undefined && maximum !== undefined ? ` ${minimum} … ${maximum}` : "";
  const usual = schemas.find((one) => one.default !== undefined)?.default;
  return kind + bounds + (usual === undefined ? "" : ` = ${JSON.stringify(usual)}`);
}

function choices(schemas: Schema[]): unknown[] {
  const all = schemas.flatMap((one) => one.enum ?? (one.const === undefined ? [] : [one.const]));
  if (schemas.some(({ type }) => type === "boolean")) all.push(true, false);
  return [...new Set(all)].filter((one) => !(typeof one === "string" && all.includes(Number(one))));
}

const isCode = (state: EditorState, position: number) => CODE.test(syntaxTree(state).resolveInner(position, -1).name);

/** What may stand here: the fields that are not there yet, or the values that are allowed. */
export function completing(known: Knowledge) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const json = isJson(text) || text.trimStart().startsWith("{");
    if (isCode(context.state, context.pos)) return null;
    const place = placeOf(context.state.doc, context.pos, json);
    if (place.typed === "" && !context.explicit) return null;
    const schemas = at(known.schema(text), place.path);
    const options = place.key
      ? fields(schemas, json, place.from, context.state)
      : values(schemas, json, known, place.path);
    return options.length > 0 ? { from: place.from, options, validFor: /^["']?[\w.$/-]*$/ } : null;
  };
}

function fields(schemas: Schema[], json: boolean, from: number, state: EditorState): Completion[] {
  const indent = /^[\s-]*/.exec(state.doc.lineAt(from).text.slice(0, from - state.doc.lineAt(from).from))?.[0] ?? "";
  const required = new Set(schemas.flatMap((one) => one.required ?? []));
  const known = new Map<string, Schema[]>();
  for (const one of schemas)
    for (const [name, inner] of Object.entries(one.properties ?? {}))
      known.set(name, [...(known.get(name) ?? []), ...spread(inner)]);
  return [...known].map(([name, inner]) => {
    const kind = inner.map(({ type }) => type).find(Boolean);
    const deeper = kind === "object" ? "  " : kind === "array" ? "  - " : undefined;
    const yaml = `${name}:${deeper === undefined ? " " : `\n${indent.replaceAll("-", " ")}${deeper}`}`;
    const info = words(inner);
    return {
      label: name,
      type: "property",
      detail: kinds(inner),
      boost: required.has(name) ? 10 : 0,
      apply: json ? `"${name}": ${kind === "object" ? "{}" : kind === "array" ? "[]" : ""}` : yaml,
      ...(info ? { info: () => explained(info, []) } : {}),
    };
  });
}

function values(schemas: Schema[], json: boolean, known: Knowledge, path: string[]): Completion[] {
  const names = known.names(path.join("."));
  return [...names, ...choices(schemas)].map((value) => ({
    label: String(value),
    type: typeof value === "string" ? "constant" : "keyword",
    apply: json ? JSON.stringify(value) : String(value),
  }));
}

export function hovering(known: Knowledge) {
  return hoverTooltip((view: EditorView, position: number): Tooltip | null => {
    const line = view.state.doc.lineAt(position);
    const text = view.state.doc.toString();
    if (isCode(view.state, position)) return null;
    const json = isJson(text);
    const key = /^[\s-]*(?:["']?)([\w.-]+)(?:["']?)\s*:/.exec(line.text);
    const end = key ? line.from + key[0].length : 0;
    if (!key || position > end) return null;
    const { path } = placeOf(view.state.doc, end, json);
    const schemas = at(known.schema(text), path);
    const said = words(schemas);
    if (!said && !kinds(schemas)) return null;
    const allowed = choices(schemas).map(String).join(", ");
    const create = () => ({ dom: explained(said, [kinds(schemas), allowed]) });
    return { pos: line.from + line.text.indexOf(key[1] ?? ""), end, above: true, create };
  });
}

function explained(said: string, more: string[]): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "explained";
  for (const text of [said, ...more].filter(Boolean)) {
    const line = document.createElement(text === said ? "p" : "code");
    line.textContent = text;
    dom.append(line);
  }
  return dom;
}
