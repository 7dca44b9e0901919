// The check for known vulnerabilities, against a stand-in that answers as OSV does.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { javaPackages, npmPackages, OutOfReach, serious } from "./advisories.mjs";
import { putAway } from "./processes.mjs";

const ADVISORIES = {
  "GHSA-high": { summary: "Remote code", database_specific: { severity: "CRITICAL" } },
  "GHSA-low": { summary: "A nuisance", database_specific: { severity: "LOW" } },
  "GHSA-gone": { summary: "Was none", withdrawn: "2026-01-01T00:00:00Z", database_specific: { severity: "HIGH" } },
  "OSV-unjudged": { summary: "Nobody knows" },
};
const NAMED = {
  "org.example:bad 1.0": ["GHSA-high", "GHSA-low"],
  "org.example:odd 2.0": ["GHSA-gone", "OSV-unjudged"],
};

const osv = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const answer =
    request.url === "/v1/querybatch"
      ? {
          results: JSON.parse(body).queries.map(({ package: { name }, version }) => {
            const ids = NAMED[`${name} ${version}`];
            return ids ? { vulns: ids.map((id) => ({ id })) } : {};
          }),
        }
      : ADVISORIES[request.url.replace("/v1/vulns/", "")];
  response.end(JSON.stringify(answer));
});
const address = await new Promise((resolve) =>
  osv.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${osv.address().port}`)),
);
after(async () => {
  osv.close();
  await putAway();
});

const maven = (name, version) => ({ ecosystem: "Maven", name, version });

test("a_critical_advisory_for_the_version_in_use_is_found", async () => {
  const found = await serious([maven("org.example:good", "1.0"), maven("org.example:bad", "1.0")], address);
  assert.deepEqual(found, ["org.example:bad 1.0: GHSA-high, CRITICAL: Remote code"]);
});

test("another_version_of_the_same_package_is_fine", async () => {
  assert.deepEqual(await serious([maven("org.example:bad", "1.1")], address), []);
});

test("a_withdrawn_advisory_does_not_count_one_without_severity_does", async () => {
  const found = await serious([maven("org.example:odd", "2.0")], address);
  assert.deepEqual(found, ["org.example:odd 2.0: OSV-unjudged, of unknown severity: Nobody knows"]);
});

test("data_that_can_not_be_reached_is_told_apart_from_no_advisory", async () => {
  await assert.rejects(serious([maven("org.example:good", "1.0")], "http://127.0.0.1:1"), OutOfReach);
});

test("packages_are_read_from_the_licence_list_and_from_package_lock", () => {
  const list = "     (MIT) (EPL-1.0) Good (org.example:good-one:1.0.Final - https://example.org/)\n";
  assert.deepEqual(javaPackages(list), [maven("org.example:good-one", "1.0.Final")]);
  const lock = {
    packages: { "": {}, "node_modules/a/node_modules/@b/c": { version: "2.0.0" }, "node_modules/d": { dev: true } },
  };
  assert.deepEqual(npmPackages(JSON.stringify(lock)), [{ ecosystem: "npm", name: "@b/c", version: "2.0.0" }]);
});
