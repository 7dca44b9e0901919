// Real apps, each at a name of its own.
import { after, before, test } from "node:test";
import { furnished, inApps, inLab, inTensorBoard, missing } from "./notebooks.mjs";

let stage;
before(async () => {
  if (!missing) stage = await furnished("names");
});
after(() => stage?.close());

test("apps_that_stream_and_apps_with_absolute_links_work", { skip: missing }, () => inApps(stage));

test("tensorboard_shows_scalars_pictures_and_the_projector", { skip: missing }, () => inTensorBoard(stage));

test("a_notebook_computes_draws_takes_200_megabytes_and_goes_on_after_the_network_was_away", { skip: missing }, () =>
  inLab(stage, 200),
);
