import type { Unit } from "./data";

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB"];

function bytes(value: number): string {
  let power = 0;
  let rest = value;
  while (rest >= 1000 && power < BYTES.length - 1) {
    rest /= 1024;
    power++;
  }
  return `${rest >= 100 || power === 0 ? Math.round(rest) : rest.toFixed(1)} ${BYTES[power]}`;
}

/** A value as people read it. */
export function written(value: number, unit: Unit): string {
  switch (unit) {
    case "share":
      return `${Math.round(value * 100)}%`;
    case "bytes":
      return bytes(value);
    case "rate":
      return `${bytes(value)}/s`;
    case "watts":
      return `${Math.round(value)} W`;
    case "celsius":
      return `${Math.round(value)} °C`;
    case "cores":
      return value === 0 ? "0" : value >= 10 ? value.toFixed(0) : value.toFixed(value < 0.1 ? 3 : 2);
  }
}
