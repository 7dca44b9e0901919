// Programs of the backend's own tests that measure a part of it, compiled against the jar that is measured.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jar, java, javaHome, launch, root, scratch, start } from "./measure.mjs";

const classes = join(scratch, "classes");

function compiled(name) {
  const sources = join(root, "backend/src/test/java");
  mkdirSync(classes, { recursive: true });
  const file = join(sources, `${name.replaceAll(".", "/")}.java`);
  const args = ["-proc:none", "-cp", jar, "-sourcepath", sources, "-d", classes, file];
  execFileSync(join(javaHome(), "bin/javac"), args, { stdio: "pipe" });
  return [`@${launch}/jvm.options`, "-cp", `${classes}:${jar}`, name];
}

/** What it prints, line by line. */
export const printed = (name, ...args) =>
  execFileSync(java, [...compiled(name), ...args], { encoding: "utf8" })
    .trim()
    .split("\n");

/** One that answers each line with a line. */
export function asked(name, ...args) {
  const child = start(java, [...compiled(name), ...args], { talking: true });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(question) {
      child.stdin.write(`${question}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} ended at the question '${question}'`);
      return value;
    },
    close: child.stop,
  };
}
