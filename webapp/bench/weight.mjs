// What a page makes the browser load: the compressed bytes of its script, with what that imports, and of its styles.
import { fetchPage } from "./visitor.mjs";

const compressed = { "accept-encoding": "br" };

async function scriptBytes(address, path, seen = new Set()) {
  if (seen.has(path)) return 0;
  seen.add(path);
  const [small, plain] = [await fetchPage(address, path, { headers: compressed }), await fetchPage(address, path)];
  if (small.headers["content-encoding"] !== "br") throw new Error(`${path} is not compressed`);
  let bytes = small.body.length;
  for (const [, imported] of plain.body.toString().matchAll(/\bimport(?:[^("']*?from)?\s*["'](\.[^"']+)["']/g))
    bytes += await scriptBytes(address, new URL(imported, `http://x${path}`).pathname, seen);
  return bytes;
}

/** Bytes of script and style of the sign-in page and of the frame around every other page. */
export async function measureWeight(address, visitor) {
  const weights = {};
  for (const [name, page] of [
    ["sign-in", await fetchPage(address, "/sign-in")],
    ["shell", await visitor.get("/people")],
  ]) {
    const html = page.body.toString();
    let script = 0;
    let style = 0;
    for (const [, path] of html.matchAll(/<script[^>]* src="(\/[^"]+)"/g)) script += await scriptBytes(address, path);
    for (const [, path] of html.matchAll(/<link[^>]* rel="stylesheet"[^>]* href="(\/[^"]+)"/g))
      style += (await fetchPage(address, path, { headers: compressed })).body.length;
    if (script === 0 || style === 0) throw new Error(`no script or no style found in the ${name} page`);
    weights[name] = { script, style };
  }
  return weights;
}
