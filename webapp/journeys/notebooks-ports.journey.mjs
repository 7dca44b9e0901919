// Real apps, each at a port of the portal's own host.
import { after, before, test } from "node:test";

const address = process.env.SLUICE_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { furnished, inApps, inLab, inTensorBoard, missing } = await import("./notebooks.mjs");
const skip = missing || (!address && "SLUICE_PORTS_URL names no gateway");

let stage;
before(async () => {
  if (!skip) stage = await furnished("ports");
});
after(() => stage?.close());

test("apps_that_stream_and_apps_with_absolute_links_work_on_ports", { skip }, () => inApps(stage));

test("tensorboard_shows_scalars_pictures_and_the_projector_on_a_port", { skip }, () => inTensorBoard(stage));

test("a_notebook_on_a_port_computes_draws_and_takes_uploads", { skip }, () => inLab(stage, 20));
