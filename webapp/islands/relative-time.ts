/**
 * Turns the server's absolute UTC time into "5 min. ago" in the page's language, and keeps it true. With format="date" it
 * stays a day, with format="clock" a time of day to the second. The exact time, in the reader's zone, is its title.
 */
class RelativeTime extends HTMLElement {
  connectedCallback(): void {
    shown.add(this);
    this.refresh();
  }

  disconnectedCallback(): void {
    shown.delete(this);
  }

  refresh(): void {
    const at = new Date(this.getAttribute("datetime") ?? "");
    const time = this.querySelector("time");
    if (!time || Number.isNaN(at.getTime())) return;
    const language = document.documentElement.lang;
    const words = (FORMATS[this.getAttribute("format") ?? ""] ?? relative)(at, language);
    if (time.textContent !== words) time.textContent = words;
    time.title = formatter(Intl.DateTimeFormat, language, { dateStyle: "full", timeStyle: "medium" }).format(at);
  }
}

const shown = new Set<RelativeTime>();

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const LONGEST_DAYS = 30;

function relative(at: Date, language: string): string {
  const seconds = (at.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > LONGEST_DAYS * 86_400) return day(at, language);
  const words = formatter(Intl.RelativeTimeFormat, language, { numeric: "auto", style: "short" });
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  return words.format(0, "second");
}

function day(at: Date, language: string): string {
  return formatter(Intl.DateTimeFormat, language, { dateStyle: "medium" }).format(at);
}

/** To the second; the day is named where it is not today. */
function timeOfDay(at: Date, language: string): string {
  const today = at.toDateString() === new Date().toDateString();
  return formatter(Intl.DateTimeFormat, language, {
    ...(today ? {} : { month: "short", day: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(at);
}

const FORMATS: Record<string, (at: Date, language: string) => string> = { date: day, clock: timeOfDay };

const formatters = new Map<string, unknown>();

// making one takes longer than formatting a page full of times with it
function formatter<O, F>(Kind: new (language: string, options: O) => F, language: string, options: O): F {
  const key = `${Kind.name} ${language} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new Kind(language, options);
  formatters.set(key, known);
  return known as F;
}

setInterval(() => {
  for (const time of shown) time.refresh();
}, 20_000);

customElements.define("relative-time", RelativeTime);
