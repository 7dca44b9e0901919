// Real apps in containers, each at a name of its own.
const address = process.env.SLUICE_DOCKER_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { realApps } = await import("./notebooks.mjs");
const skip = !address && "SLUICE_DOCKER_URL names no gateway";

realApps({ title: "in_a_container_at_a_name", skip, boxed: true });
