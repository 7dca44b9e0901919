import assert from "node:assert/strict";
import { test } from "node:test";
import { JobText } from "../islands/submit/job-text";
import { kindOf, withKind } from "../islands/submit/kinds";

const V2 = `protocolVersion: 2
name: job
taskRoles:
  train: # the only one
    instances: 1
    resourcePerInstance: {cpu: 1, memoryMB: 64, gpu: 8}
    commands: [a]
`;
const V1 = JSON.stringify({ jobName: "job", taskRoles: [{ name: "train", gpuNumber: 4, command: "a" }] }, null, 2);

const read = (text) => JobText.read(text);

for (const [protocol, text] of Object.entries({ 1: V1, 2: V2 }))
  test(`a job of protocol ${protocol} becomes every kind, and what it was again`, () => {
    assert.equal(kindOf(read(text)), "regular");
    const nodes = withKind(read(text), "nodes");
    assert.equal(kindOf(read(nodes)), "nodes");
    const roles = withKind(read(nodes), "roles");
    assert.equal(kindOf(read(roles)), "roles");
    assert.equal(withKind(read(roles), "roles"), roles);
    const back = read(withKind(read(roles), "regular"));
    assert.equal(kindOf(back), "regular");
    assert.equal(Object.keys(back.value.taskRoles).length, 1);
  });

test("a parameter server has no devices, and the comments of the workers stay", () => {
  const text = withKind(read(V2), "roles");
  assert.match(text, /# the only one/);
  const { ps, train } = read(text).value.taskRoles;
  assert.deepEqual([ps.instances, ps.resourcePerInstance.gpu, train.resourcePerInstance.gpu], [1, 0, 8]);
});

test("several nodes that are there already keep their number", () => {
  const three = V2.replace("instances: 1", "instances: 3");
  assert.equal(withKind(read(three), "nodes"), three);
});
