// A hostile app, C: apps live inside of the portal's own address.
import { test } from "node:test";

const address = process.env.SLUICE_INSIDE_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { attackedFrom } = await import("./hostile.mjs");

test(
  "a_hostile_app_inside_of_the_portal_s_address_harms_nothing",
  { skip: !address && "SLUICE_INSIDE_URL names no gateway" },
  (t) => attackedFrom(t, "inside"),
);
