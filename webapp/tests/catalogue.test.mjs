import assert from "node:assert/strict";
import { test } from "node:test";
import { devicesOf, withDataset, withImage } from "../islands/submit/catalogue";
import { pairs, pairsWritten } from "../islands/submit/fields";
import { JobText } from "../islands/submit/job-text";

const V2 = `protocolVersion: 2
name: job
prerequisites:
  - {name: image, type: dockerimage, uri: "a:1"}
taskRoles:
  train: # the only one
    dockerImage: image
    commands: [a]
`;
const V1 = JSON.stringify({ jobName: "job", image: "a:1", taskRoles: [{ name: "train", command: "a" }] }, null, 2);
const FIELD = { kind: "inputs", path: ["extras", "sluice", "data", "inputs"] };

const read = (text) => JobText.read(text);

for (const [protocol, text] of Object.entries({ 1: V1, 2: V2 })) {
  test(`a dataset is what a job of protocol ${protocol} is brought, once, under a name of its own`, () => {
    const one = withDataset(read(text), { input: "cifar", place: "/gdata/cifar" });
    assert.equal(withDataset(read(one), { input: "cifar", place: "/gdata/cifar" }), one);
    const two = withDataset(read(one), { input: "cifar", place: "/mnt/new/cifar", storage: "new" });
    assert.equal(withDataset(read(two), { input: "x", place: "/mnt/new/cifar", storage: "new" }), two);
    const { sluice, storages } = read(two).value.extras;
    assert.deepEqual(sluice.data.inputs, [
      { name: "cifar", from: "/gdata/cifar" },
      { name: "cifar_2", from: "/mnt/new/cifar" },
    ]);
    assert.deepEqual(storages, [{ name: "new" }]);
  });

  test(`an image is put where protocol ${protocol} has it`, () => {
    const { image, prerequisites } = read(withImage(read(text), undefined, "lab/b:2")).value;
    assert.equal(protocol === "1" ? image : prerequisites[0].uri, "lab/b:2");
  });
}

test("comments stay when a row is changed, and the last row takes the list away", () => {
  const text = `${V2}extras:
  sluice:
    data:
      inputs:
        - {name: a, from: /gdata/a} # the old one
        - {name: b, from: /gdata/b}
`;
  const rows = pairs(read(text), FIELD);
  assert.deepEqual(rows, [
    ["a", "/gdata/a"],
    ["b", "/gdata/b"],
  ]);
  const other = pairsWritten(read(text), FIELD, [["a", "/gdata/other"], rows[1]]);
  assert.equal(other, text.replace("/gdata/a}", `"/gdata/other"}`));
  assert.deepEqual(pairs(read(pairsWritten(read(text), FIELD, [rows[1]])), FIELD), [rows[1]]);
  assert.equal(read(pairsWritten(read(text), FIELD, [])).at(["extras"]), undefined);
});

test("the devices of a job are known by the machines' types and by those of other platforms", () => {
  const job = (type) => read(`${V2}extras: {sluice: {devices: {type: ${type}}}}`);
  const types = { Ours: "amd" };
  assert.equal(devicesOf(job("Ours"), types), "amd");
  assert.equal(devicesOf(job("huawei_npu_arm64"), types), "ascend");
  assert.equal(devicesOf(job("nvidia_gpu_amd64"), types), "nvidia");
  assert.equal(devicesOf(job("A100"), types), "nvidia");
  assert.equal(devicesOf(job("any"), types), undefined);
  assert.equal(devicesOf(read(V2), types), undefined);
});
