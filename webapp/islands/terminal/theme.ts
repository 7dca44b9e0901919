import type { ITheme } from "@xterm/xterm";

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** The colours of the styles, as they are at the moment. */
export function themeOf(place: HTMLElement): ITheme {
  const probe = document.createElement("i");
  place.append(probe);
  const colour = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const theme: Record<string, string> = {
    background: colour("var(--ground)"),
    foreground: colour("var(--text)"),
    cursor: colour("var(--accent)"),
    cursorAccent: colour("var(--ground)"),
    selectionBackground: colour("var(--chosen)"),
  };
  NAMES.forEach((name, i) => {
    theme[name] = colour(`var(--c${i})`);
    theme[`bright${name[0]?.toUpperCase()}${name.slice(1)}`] = colour(`var(--c${i + 8})`);
  });
  probe.remove();
  return theme;
}
