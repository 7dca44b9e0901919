// Whether what we ship has a known vulnerability of high or critical severity. The data is OSV's (it has GitHub's and others');
// where that can not be reached, npm's own audit is asked for the browser's part. No data is said plainly and fails nothing.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, output, root } from "./processes.mjs";

const SERIOUS = ["HIGH", "CRITICAL"];

export class OutOfReach extends Error {}

/** The Java packages in the jar, out of the licence list that the build wrote. */
export function javaPackages(
  list = readFileSync(join(root, "backend/target/classes/META-INF/licences-java.txt"), "utf8"),
) {
  return [...list.matchAll(/\(([\w.-]+:[\w.-]+):([\w.-]+) - /g)].map(([, name, version]) => ({
    ecosystem: "Maven",
    name,
    version,
  }));
}

export function npmPackages(lock = readFileSync(join(root, "webapp/package-lock.json"), "utf8")) {
  return Object.entries(JSON.parse(lock).packages)
    .filter(([path, { dev }]) => path !== "" && !dev)
    .map(([path, { version }]) => ({ ecosystem: "npm", name: path.replace(/^.*node_modules\//, ""), version }));
}

async function ask(base, path, body) {
  const request = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(base + path, { ...request, signal: AbortSignal.timeout(10_000) }).catch((fault) => {
    throw new OutOfReach(`${base} does not answer (${fault.cause?.code ?? fault.message})`);
  });
  if (!answer.ok) throw new OutOfReach(`${base} answers ${answer.status}`);
  return answer.json();
}

/** The serious advisories that name one of these packages in its version. */
export async function serious(packages, base = process.env.SLUICE_OSV ?? "https://api.osv.dev") {
  const queries = packages.map(({ ecosystem, name, version }) => ({ package: { ecosystem, name }, version }));
  const { results } = await ask(base, "/v1/querybatch", { queries });
  const found = [];
  for (const [index, { vulns = [] }] of results.entries())
    for (const { id } of vulns) {
      const { summary, withdrawn, database_specific } = await ask(base, `/v1/vulns/${id}`);
      // an advisory without a severity is one that nobody has judged yet: better looked at than overlooked
      const severity = database_specific?.severity ?? "of unknown severity";
      if (withdrawn || ["LOW", "MODERATE", "MEDIUM"].includes(severity)) continue;
      found.push(`${packages[index].name} ${packages[index].version}: ${id}, ${severity}: ${summary ?? "no summary"}`);
    }
  return found;
}

async function npmAudit() {
  const lines = await output("npm", ["audit", "--omit=dev", "--json"], { cwd: join(root, "webapp"), allow: [0, 1] });
  const { vulnerabilities } = JSON.parse(lines.slice(lines.indexOf("{"), lines.lastIndexOf("}") + 1));
  if (!vulnerabilities) throw new OutOfReach("npm's registry answers no audit");
  return Object.values(vulnerabilities)
    .filter(({ severity }) => SERIOUS.includes(severity.toUpperCase()))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
}

export async function advisories() {
  if (!existsSync(join(root, "backend/target/classes/META-INF/licences-java.txt")))
    throw new Failure("there is no list of Java packages; run ./sluice test verify first");
  const packages = [...javaPackages(), ...npmPackages()];
  const fault = (found) => new Failure(`known vulnerabilities:\n${found.join("\n")}`);
  try {
    const found = await serious(packages);
    if (found.length > 0) throw fault(found);
    return `none known for ${packages.length} packages`;
  } catch (noData) {
    if (!(noData instanceof OutOfReach)) throw noData;
    const found = await npmAudit().catch((alsoNone) => {
      if (alsoNone instanceof OutOfReach) return undefined;
      throw alsoNone;
    });
    if (found?.length > 0) throw fault(found);
    return `NOT CHECKED ${found ? "for Java" : "at all"}: ${noData.message}${found ? "; npm audit finds nothing" : ", nor does npm audit"}`;
  }
}
