/** How characters look: what SGR and OSC 8 have set. Never changed, so that equal looks are mostly the same object. */
export interface Style {
  /** -1 none, 0 to 255 of the palette, or RGB with the bit TRUE set. */
  readonly fg: number;
  readonly bg: number;
  readonly flags: number;
  readonly link: string;
}

export const BOLD = 1;
export const DIM = 2;
export const ITALIC = 4;
export const UNDERLINE = 8;
export const INVERSE = 16;
export const STRIKE = 32;
export const TRUE = 1 << 24;
export const PLAIN: Style = { fg: -1, bg: -1, flags: 0, link: "" };

const ON: Record<number, number> = { 1: BOLD, 2: DIM, 3: ITALIC, 4: UNDERLINE, 7: INVERSE, 9: STRIKE, 21: UNDERLINE };
const OFF: Record<number, number> = { 22: BOLD | DIM, 23: ITALIC, 24: UNDERLINE, 27: INVERSE, 29: STRIKE };
const LONGEST_LINK = 2048;
const SAFE = /^(https?:\/\/[^\s/]|mailto:[^\s])/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what an address must not hold
const UNSAFE = /[\u0000-\u0020\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** The style after "ESC [ params m". */
export function restyled(style: Style, params: string): Style {
  if (params === "" || params === "0") return style.link ? { ...PLAIN, link: style.link } : PLAIN;
  if (style !== PLAIN) return after(style, params);
  const known = usual.get(params);
  if (known) return known;
  const made = after(style, params);
  if (usual.size >= MOST_USUAL) usual.clear();
  usual.set(params, made);
  return made;
}

// nearly all colours begin where there is none, and are few
const usual = new Map<string, Style>();
const MOST_USUAL = 500;

function after(style: Style, params: string): Style {
  let { fg, bg, flags } = style;
  const codes = params.split(";").map((code) => code.split(":").map((part) => (part === "" ? 0 : Number(part))));
  for (let i = 0; i < codes.length; i++) {
    const parts = codes[i] ?? [0];
    const code = parts[0] ?? 0;
    if (code === 0) {
      fg = bg = -1;
      flags = 0;
    } else if (code === 38 || code === 48) {
      const [colour, used] = extended(parts, codes, i);
      i += used;
      if (colour < 0) continue;
      if (code === 38) fg = colour;
      else bg = colour;
    } else if (code === 4 && parts[1] === 0) flags &= ~UNDERLINE;
    else if (ON[code]) flags |= ON[code];
    else if (OFF[code]) flags &= ~OFF[code];
    else if (code >= 30 && code <= 37) fg = code - 30;
    else if (code >= 90 && code <= 97) fg = code - 82;
    else if (code === 39) fg = -1;
    else if (code >= 40 && code <= 47) bg = code - 40;
    else if (code >= 100 && code <= 107) bg = code - 92;
    else if (code === 49) bg = -1;
  }
  return { fg, bg, flags, link: style.link };
}

/** The colour after 38 or 48, in either spelling, and how many more codes it took. */
function extended(parts: number[], codes: number[][], at: number): [number, number] {
  if (parts.length > 1) {
    if (parts[1] === 5) return [indexed(parts[2]), 0];
    // 38:2:r:g:b, or with the colour space that nobody fills in: 38:2::r:g:b
    const rgb = parts.slice(parts.length > 5 ? 3 : 2);
    return [parts[1] === 2 ? mixed(rgb[0], rgb[1], rgb[2]) : -1, 0];
  }
  const value = (n: number) => codes[at + n]?.[0];
  if (value(1) === 5) return [indexed(value(2)), 2];
  if (value(1) === 2) return [mixed(value(2), value(3), value(4)), 4];
  return [-1, 1];
}

const indexed = (n: number | undefined) => (n !== undefined && n >= 0 && n <= 255 ? n : -1);

function mixed(r = 0, g = 0, b = 0): number {
  const ok = [r, g, b].every((part) => part >= 0 && part <= 255);
  return ok ? TRUE | (r << 16) | (g << 8) | b : -1;
}

/** The style after OSC 8 with this body ("8;params;address"); an address that is not plainly harmless is none. */
export function linked(style: Style, body: string): Style {
  const address = body.slice(body.indexOf(";", 2) + 1);
  const link = address.length <= LONGEST_LINK && SAFE.test(address) && !UNSAFE.test(address) ? address : "";
  return link === style.link ? style : { ...style, link };
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** Red, green and blue of a colour beyond the first sixteen, which the page's theme has names for. */
export function rgb(colour: number): [number, number, number] {
  if (colour & TRUE) return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10;
    return [grey, grey, grey];
  }
  const n = colour - 16;
  const part = (value: number) => CUBE[value % 6] ?? 0;
  return [part(Math.floor(n / 36)), part(Math.floor(n / 6)), part(n)];
}

export function css(colour: number): string {
  return `rgb(${rgb(colour).join(" ")})`;
}
