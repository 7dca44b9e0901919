import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong on the page as it stands: one line per element. */
export async function violations(page) {
  await page.evaluate(source);
  const { violations: found } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(" ")})`));
}
