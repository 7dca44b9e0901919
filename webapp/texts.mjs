// Checks the texts: the same keys with the same values put in, in every language, and none that a page asks for missing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

function read(file) {
  const lines = readFileSync(file, "utf8").split("\n");
  const entries = lines.filter((line) => line.trim() && !line.startsWith("#")).map((line) => line.split(" = "));
  return new Map(entries.map(([key, ...text]) => [key.replaceAll("\\:", ":"), text.join(" = ")]));
}

const valuesIn = (text) => new Set(text.match(/\{\d/g) ?? []);

function asked(pages) {
  const files = readdirSync(pages, { recursive: true }).filter((name) => name.endsWith(".jte"));
  const sources = files.map((name) => [name, readFileSync(join(pages, name), "utf8")]);
  return sources.flatMap(([name, source]) =>
    [...source.matchAll(/view\.t\("([^"]+)"[,)]/g)].map(([, key]) => [name, key]),
  );
}

/** The faults, as sentences; none is good. */
export function faultsOfTexts(home) {
  const texts = join(home, "texts");
  const languages = new Map(readdirSync(texts).map((file) => [file, read(join(texts, file))]));
  const every = new Set([...languages.values()].flatMap((language) => [...language.keys()]));
  const first = languages.get("en.properties");
  const faults = [];
  for (const [file, language] of languages) {
    for (const key of every) {
      const text = language.get(key);
      if (!text) faults.push(`texts/${file} has no ${key}`);
      else if (![...valuesIn(text)].every((value) => valuesIn(first.get(key) ?? "").has(value)))
        faults.push(`texts/${file}: ${key} takes values that en.properties does not take`);
      // MessageFormat takes an apostrophe away where values are put in; the typographic one stays
      if (text?.includes("'")) faults.push(`texts/${file}: ${key} has a straight apostrophe, write ’`);
    }
  }
  for (const [page, key] of asked(join(home, "pages")))
    if (!every.has(key)) faults.push(`pages/${page} asks for ${key}, which no text has`);
  return faults;
}
