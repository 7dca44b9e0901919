import { css, rgb } from "./style";

const DARK = "#000000";
const LIGHT = "#ffffff";
/** WCAG 2, AA. */
const ENOUGH = 4.5;

/** The colour of text on a ground that a program mixed: its own if that can be read there, else dark or light. */
export function readable(fg: number, bg: number): string {
  const ground = luminance(rgb(bg));
  if (fg >= 16 && contrast(luminance(rgb(fg)), ground) >= ENOUGH) return css(fg);
  return contrast(0, ground) > contrast(1, ground) ? DARK : LIGHT;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function luminance([red, green, blue]: readonly [number, number, number]): number {
  const part = (value: number) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}
