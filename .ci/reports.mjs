// Reads JUnit XML, as Surefire and node:test write it: what really ran, not what a runner says it ran.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const text = (escaped) =>
  escaped
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&#(?:10|xa);/gi, "\n")
    .replace(/&amp;/g, "&");
const attribute = (tag, name) => text(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "");

function cases(xml) {
  const plain = xml.replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, raw) =>
    raw.replace(/&/g, "&amp;").replace(/</g, "&lt;"),
  );
  return [...plain.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, tag, body = ""]) => {
    const bad = /<(failure|error)\b([^>]*)>([\s\S]*?)<\/\1>|<(?:failure|error)\b([^>]*)\/>/.exec(body);
    const skip = /<skipped\b([^>]*)>/.exec(body);
    const first = /<flaky(?:Failure|Error)\b([^>]*)>/.exec(body);
    return {
      name: [attribute(tag, "classname"), attribute(tag, "name")].filter((part) => part && part !== "test").join("."),
      seconds: Number(attribute(tag, "time")),
      unsteady: !bad && first ? attribute(first[1], "message") || "no reason given" : undefined,
      failure: bad && (attribute(bad[2] ?? bad[4], "message") || text(bad[3] ?? "")),
      skipped: !bad && skip ? attribute(skip[1], "message") || "no reason given" : undefined,
    };
  });
}

const beginning = (message) => message.split("\n").slice(0, 12).join("\n    ");

/** The tally of a report file, or of all in a folder; names what failed, what passed only when it ran again, and what was skipped. */
export function tallyOf(path, say) {
  if (!existsSync(path)) return { passed: 0, failed: 0, skipped: 0, unsteady: 0 };
  const files = statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.startsWith("TEST-") && name.endsWith(".xml"))
        .map((name) => join(path, name))
    : [path];
  const all = files.flatMap((file) => cases(readFileSync(file, "utf8")));
  for (const one of all) {
    if (one.failure !== null) say(`FAILED ${one.name}: ${beginning(one.failure)}`);
    else if (one.unsteady) say(`UNSTEADY ${one.name}: passed when it ran again, after: ${beginning(one.unsteady)}`);
    else if (one.skipped) say(`skipped ${one.name}: ${one.skipped}`);
  }
  const failed = all.filter((one) => one.failure !== null).length;
  const skipped = all.filter((one) => one.failure === null && one.skipped).length;
  const unsteady = all.filter((one) => one.unsteady).length;
  return { passed: all.length - failed - skipped, failed, skipped, unsteady };
}
