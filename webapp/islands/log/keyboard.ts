import type { Options } from "./tools";

/** What keys do, wherever in the log one is. */
export interface Act {
  search(): void;
  step(by: 1 | -1): void;
  toBegin(): void;
  toEnd(): void;
  toCause(): void;
  link(): void;
  goTo(): void;
  flip(which: keyof Options): void;
  help(): void;
}

/** The table of keys in `keys.ts` tells the same to people. */
export function actions(act: Act): Record<string, () => void> {
  return {
    "/": () => act.search(),
    n: () => act.step(1),
    N: () => act.step(-1),
    g: () => act.toBegin(),
    Home: () => act.toBegin(),
    G: () => act.toEnd(),
    End: () => act.toEnd(),
    f: () => act.toEnd(),
    c: () => act.toCause(),
    l: () => act.link(),
    ":": () => act.goTo(),
    w: () => act.flip("wrap"),
    t: () => act.flip("times"),
    z: () => act.flip("large"),
    "?": () => act.help(),
  };
}
