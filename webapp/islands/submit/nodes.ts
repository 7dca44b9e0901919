import { isCollection, isScalar, type Node, type Pair, Scalar } from "yaml";
import type { Value } from "./values";

/** Where the last of it ends; what stands behind on that line is a comment. */
export function end(item: Node | Pair): number {
  if ("key" in item) return item.value ? end(item.value as Node) : (start(item) ?? 0);
  const last = isCollection(item) && !item.flow ? item.items.at(-1) : undefined;
  return last ? end(last as Node) : (item.range?.[1] ?? 0);
}

export function start(item: Node | Pair | undefined): number | undefined {
  if (!item) return undefined;
  return "key" in item ? (item.key as Node | null)?.range?.[0] : item.range?.[0];
}

/** A new text in the quotes of the old one. */
export function styled(value: Value, node: Node): Value | Scalar {
  if (
    typeof value !== "string" ||
    !isScalar(node) ||
    !node.type?.startsWith("QUOTE") ||
    node.value === "" ||
    value.includes("\n")
  )
    return value;
  const scalar = new Scalar(value);
  scalar.type = node.type;
  return scalar;
}
