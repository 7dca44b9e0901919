import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { end, start, styled } from "./nodes";
import { changed, indented, isJson, type Path, type Step, same, type Value, within } from "./values";

type Collection = YAMLMap | YAMLSeq;

const OPTIONS = { merge: true, prettyErrors: false } as const;
const WRITTEN = { lineWidth: 0, indentSeq: true } as const;

/**
 * A job's text that can be changed field by field. A change replaces only the characters that it must: comments, order and
 * spelling of all else stay. It is read again and compared; where the small change does not say what was meant (anchors,
 * odd layouts), the whole document is written anew, still with its comments.
 */
export class JobText {
  readonly text: string;
  readonly value: { [key: string]: Value };
  private readonly document: Document.Parsed;
  private readonly json: boolean;

  private constructor(text: string, document: Document.Parsed, value: { [key: string]: Value }) {
    this.text = text;
    this.document = document;
    this.value = value;
    this.json = isJson(text);
  }

  /** Nothing where the text is not one object. */
  static read(text: string): JobText | undefined {
    try {
      const document = parseDocument(text, OPTIONS);
      const value = document.errors.length > 0 ? undefined : document.toJS();
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      return new JobText(text, document, value);
    } catch {
      return undefined; // aliases that multiply beyond all measure
    }
  }

  at(path: Path): Value | undefined {
    return within(this.value, path);
  }

  /** An empty path leads to the whole. */
  set(path: Path, value: Value): string {
    const meant = changed(this.value, path, value);
    return this.checked(meant, () => this.put(path, value));
  }

  /** Takes an object along that is empty without it. */
  remove(path: Path): string {
    if (this.at(path) === undefined) return this.text;
    const parent = path.slice(0, -1);
    const around = this.at(parent);
    if (parent.length > 0 && around instanceof Object && Object.keys(around).length === 1) return this.remove(parent);
    return this.checked(changed(this.value, path, undefined), () => this.cut(path));
  }

  rename(path: Path, key: string): string {
    const parent = path.slice(0, -1);
    const entries = Object.entries(this.at(parent) ?? {}).map(([name, value]) => [
      name === path.at(-1) ? key : name,
      value,
    ]);
    return this.checked(changed(this.value, parent, Object.fromEntries(entries)), () => {
      const pair = this.pair(path);
      const name = pair?.key as Node | undefined;
      return name?.range ? this.splice(name.range[0], name.range[1], this.key(key, this.json)) : undefined;
    });
  }

  private checked(meant: Value, small: () => string | undefined): string {
    const text = small();
    const read = text === undefined ? undefined : JobText.read(text);
    if (text !== undefined && read && same(read.value, meant)) return text;
    return this.json ? JSON.stringify(meant, null, this.jsonIndent()) : this.rewritten(meant);
  }

  /** With the comments of what has not changed. */
  private rewritten(meant: Value): string {
    const document = this.document.clone() as Document;
    for (const key of Object.keys({ ...this.value, ...(meant as object) })) {
      const value = within(meant, [key]);
      if (value === undefined) document.delete(key);
      else if (!same(this.value[key], value)) document.set(document.createNode(key), document.createNode(value));
    }
    try {
      return document.toString(WRITTEN);
    } catch {
      return new Document(meant).toString(WRITTEN); // an alias has lost what it pointed to
    }
  }

  private put(path: Path, value: Value): string | undefined {
    let node: Node | null = this.document.contents;
    let around: Collection | undefined;
    let depth = 0;
    while (depth < path.length && isCollection(node) && node.has(path[depth])) {
      around = node as Collection;
      node = node.get(path[depth], true) as Node | null;
      depth++;
    }
    if (isAlias(node)) return undefined;
    if (depth === path.length) return node && around ? this.replace(node, around, path, value) : undefined;
    const rest = path.slice(depth + 1).reduceRight<Value>((inner, step) => ({ [step]: inner }), value);
    const step = path[depth] as Step;
    if (isMap(node)) return node.items.length > 0 || node.flow ? this.addPair(node, String(step), rest) : undefined;
    if (isSeq(node)) return this.addItem(node, rest);
    return node && around ? this.replace(node, around, path.slice(0, depth), { [step]: rest }) : undefined;
  }

  private replace(node: Node, around: Collection, path: Path, value: Value): string | undefined {
    if (!node.range) return undefined;
    const [from, to] = node.range;
    if (around.flow) return this.splice(from, to, this.flow(value, from));
    const column = this.column(this.pair(path)?.key as Node | undefined) ?? this.column(around) ?? 0;
    const lines = this.block(styled(value, node), column);
    const kept = this.text.slice(from, to).endsWith("\n") ? "\n" : "";
    if (lines.startsWith("\n")) {
      const before = this.text.slice(0, from).trimEnd().length;
      return this.splice(before, to, lines + kept);
    }
    const gap = /\s/.test(this.text[from - 1] ?? " ") ? "" : " ";
    return this.splice(from, to, gap + lines.slice(1) + kept);
  }

  private addPair(map: YAMLMap, key: string, value: Value): string | undefined {
    const last = map.items.at(-1);
    if (map.flow) return this.addFlow(map, last, (at) => `${this.key(key, true)}: ${this.flow(value, at)}`);
    const column = this.column(map);
    if (!last || column === undefined) return undefined;
    return this.addLines(last, column, `${this.key(key, false)}:${this.block(value, column)}`);
  }

  private addItem(list: YAMLSeq, value: Value): string | undefined {
    const last = list.items.at(-1) as Node | undefined;
    if (list.flow) return this.addFlow(list, last, (at) => this.flow(value, at));
    const column = this.column(list);
    if (!last || column === undefined) return undefined;
    const lines = new Document([value]).toString(WRITTEN).trimEnd();
    return this.addLines(last, column, indented(lines, column));
  }

  private addLines(last: Node | Pair, column: number, lines: string): string {
    let at = end(last);
    const indent = " ".repeat(column);
    if (this.text[at - 1] === "\n") return this.splice(at, at, `${indent}${lines}\n`);
    const newline = this.text.indexOf("\n", at);
    at = newline < 0 ? this.text.length : newline;
    return this.splice(at, at, `\n${indent}${lines}`);
  }

  private addFlow(around: Collection, last: Node | Pair | undefined, made: (at: number) => string): string | undefined {
    if (!around.range) return undefined;
    const [from, to] = around.range;
    if (!last) return this.splice(from + 1, to - 1, made(from));
    const first = start(around.items[0] as Node | Pair) ?? from + 1;
    const between = this.text.slice(from + 1, first);
    const gap = /^\s+$/.test(between) ? between : " ";
    const behind = end(last);
    return this.splice(behind, behind, `,${gap}${made(first)}`);
  }

  private cut(path: Path): string | undefined {
    const around = this.node(path.slice(0, -1));
    if (!isCollection(around)) return undefined;
    const items = (around as Collection).items as (Node | Pair)[];
    const item = isMap(around) ? this.pair(path) : (around as YAMLSeq<Node>).items[Number(path.at(-1))];
    const index = items.indexOf(item as Node);
    const from = item && start(item);
    if (!item || from === undefined) return undefined;
    const to = end(item);
    if ((around as Collection).flow) {
      const next = start(items[index + 1]);
      if (next !== undefined) return this.splice(from, next, "");
      return this.splice(index > 0 ? end(items[index - 1] as Node) : from, to, "");
    }
    const line = this.text.lastIndexOf("\n", from - 1) + 1;
    if (
      !/^\s*(-\s+)?$/.test(this.text.slice(line, from)) ||
      (isMap(around) && this.text.slice(line, from).includes("-"))
    )
      return undefined;
    const newline = this.text[to - 1] === "\n" ? to - 1 : this.text.indexOf("\n", to);
    return this.splice(line, newline < 0 ? this.text.length : newline + 1, "");
  }

  private node(path: Path): Node | null {
    return path.length === 0 ? this.document.contents : (this.document.getIn(path, true) as Node | null);
  }

  private pair(path: Path): Pair | undefined {
    const around = this.node(path.slice(0, -1));
    return isMap(around)
      ? around.items.find((pair) => String(isScalar(pair.key) ? pair.key.value : pair.key) === path.at(-1))
      : undefined;
  }

  private column(node: Node | undefined): number | undefined {
    const at = node?.range?.[0];
    if (at === undefined) return undefined;
    const line = this.text.lastIndexOf("\n", at - 1) + 1;
    const dash = isSeq(node) || !/^[\s-]*$/.test(this.text.slice(line, at)) ? /^\s*/.exec(this.text.slice(line)) : null;
    return dash ? dash[0].length : at - line;
  }

  /** What stands behind the colon of a key in this column: on its line, or below it. */
  private block(value: ReturnType<typeof styled>, column: number): string {
    const written = new Document({ k: value }).toString(WRITTEN).replace(/\n$/, "");
    return indented(written.slice(2), column);
  }

  private flow(value: Value, at: number): string {
    const line = this.text.lastIndexOf("\n", at - 1) + 1;
    const indent = /^\s*/.exec(this.text.slice(line, at))?.[0] ?? "";
    return JSON.stringify(value, null, this.json ? this.jsonIndent() : undefined).replaceAll("\n", `\n${indent}`);
  }

  private key(key: string, quoted: boolean): string {
    return quoted ? JSON.stringify(key) : new Document(key).toString(WRITTEN).trimEnd();
  }

  private jsonIndent(): string {
    return /^\{\s*\n([ \t]+)/.exec(this.text)?.[1] ?? "  ";
  }

  private splice(from: number, to: number, insert: string): string {
    return this.text.slice(0, from) + insert + this.text.slice(to);
  }
}
