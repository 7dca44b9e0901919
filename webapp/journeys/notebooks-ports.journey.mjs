// Real apps, each at a port of the portal's own host.
const address = process.env.SLUICE_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { realApps } = await import("./notebooks.mjs");
const skip = !address && "SLUICE_PORTS_URL names no gateway";

realApps({ title: "at_a_port", skip, classic: true, range: process.env.SLUICE_PORTS_RANGE });
