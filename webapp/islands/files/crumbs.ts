import { make } from "../log/dom";
import { decoded } from "./api";

/** The way to a folder, each step of it a link. */
export function crumbs(
  top: string,
  path: string,
  address: (path: string) => string,
  go: (path: string) => void,
): HTMLElement[] {
  const names = path ? path.split("/") : [];
  const link = (text: string, to: string, here: boolean) => {
    const step = make("a", { href: address(to), "aria-current": here ? "page" : undefined }, text);
    step.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(to);
    });
    return step;
  };
  return [
    link(top, "", names.length === 0),
    ...names.map((name, at) => link(decoded(name), names.slice(0, at + 1).join("/"), at === names.length - 1)),
  ];
}
