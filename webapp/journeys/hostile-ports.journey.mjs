// A hostile app, B: each app has a port of the portal's own host.
import { test } from "node:test";

const address = process.env.SLUICE_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { attackedFrom } = await import("./hostile.mjs");

test(
  "a_hostile_app_on_a_port_of_the_portal_s_host_harms_nothing",
  { skip: !address && "SLUICE_PORTS_URL names no gateway" },
  (t) => attackedFrom(t, "ports"),
);
