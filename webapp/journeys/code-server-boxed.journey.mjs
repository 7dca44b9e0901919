// VS Code in a container, at a name of its own.
const address = process.env.SLUICE_DOCKER_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { realCode } = await import("./code-server.mjs");
const skip = !address && "SLUICE_DOCKER_URL names no gateway";

realCode({ title: "in_a_container", skip, boxed: true });
