// VS Code in a container, at a port of the portal's own host.
const address = process.env.SLUICE_DOCKER_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { realCode } = await import("./code-server.mjs");
const skip = !address && "SLUICE_DOCKER_PORTS_URL names no gateway";

realCode({ title: "in_a_container_at_a_port", skip, boxed: true });
