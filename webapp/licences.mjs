// Writes which licence each npm package of the build has into the jar; one that is unknown or not allowed ends the build.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];
const folder = new URL("target/site/META-INF/", import.meta.url);

const { packages } = JSON.parse(readFileSync(new URL("package-lock.json", import.meta.url), "utf8"));
const used = Object.entries(packages)
  .filter(([path, entry]) => path !== "" && !entry.dev)
  .map(([path, entry]) => ({ name: path.replace(/^.*node_modules\//, ""), ...entry }));

const wrong = used.filter(({ license }) => !ALLOWED.includes(license));
if (wrong.length > 0) {
  for (const { name, version, license } of wrong)
    console.error(`${name} ${version} has the licence ${license ?? "(none named)"}`);
  console.error(
    `Allowed are ${ALLOWED.join(", ")}; take another package, or argue for the licence in webapp/licences.mjs.`,
  );
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
const lines = used.map(({ name, version, license }) => `(${license}) ${name} ${version}\n`);
writeFileSync(new URL("licences-browser.txt", folder), lines.join(""));
