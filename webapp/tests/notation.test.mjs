import assert from "node:assert/strict";
import { test } from "node:test";
import { otherNotation } from "../islands/submit/notation.ts";

test("yaml_becomes_json_with_its_order_and_its_numbers", () => {
  const text =
    "# the job\nname: x # said here\nb: 12345678901234567890\n10: a\n9: |\n  # no comment\n  echo 1\nlist: [1.5, true, null]\nempty: {}\n";
  const other = otherNotation(text);
  assert.equal(other.comments, 2);
  assert.equal(
    other.text,
    '{\n  "name": "x",\n  "b": 12345678901234567890,\n  "10": "a",\n  "9": "# no comment\\necho 1\\n",\n  "list": [\n    1.5,\n    true,\n    null\n  ],\n  "empty": {}\n}\n',
  );
});

test("json_becomes_yaml_and_json_again", () => {
  const text =
    '{\n  "jobName": "x",\n  "version": "1.10",\n  "yes": "no",\n  "command": "one\\n  two\\n",\n  "n": 12345678901234567890\n}\n';
  const yaml = otherNotation(text);
  assert.equal(yaml.comments, 0);
  assert.match(yaml.text, /^jobName: x\nversion: "1.10"\n/);
  assert.match(yaml.text, /command: \|\n {2}one\n {4}two\n/);
  assert.match(yaml.text, /n: 12345678901234567890/);
  assert.equal(otherNotation(yaml.text).text, text);
});

test("anchors_and_merges_are_written_out", () => {
  const other = otherNotation("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\nc: *a\n");
  assert.deepEqual(JSON.parse(other.text), { a: { x: 1 }, b: { x: 1, y: 2 }, c: { x: 1 } });
});

test("what_json_can_not_say_is_left_as_it_is", () => {
  assert.equal(otherNotation("a: .inf\n"), undefined);
  assert.equal(otherNotation("? [1, 2]\n: x\n"), undefined);
  assert.equal(otherNotation("a: [\n"), undefined);
});
