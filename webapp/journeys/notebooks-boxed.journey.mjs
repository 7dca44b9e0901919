// Real apps in containers, each at a name of its own.
import { after, before, test } from "node:test";

const address = process.env.SLUICE_DOCKER_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { furnished, inApps, inLab, inTensorBoard, missing } = await import("./notebooks.mjs");
const skip = missing || (!address && "SLUICE_DOCKER_URL names no gateway");

let stage;
before(async () => {
  if (!skip) stage = await furnished("containers");
});
after(() => stage?.close());

test("apps_that_stream_and_apps_with_absolute_links_work_in_containers", { skip }, () => inApps(stage));

test("tensorboard_shows_scalars_pictures_and_the_projector_in_a_container", { skip }, () => inTensorBoard(stage));

test("a_notebook_in_a_container_computes_draws_and_takes_uploads", { skip }, () => inLab(stage, 20));
