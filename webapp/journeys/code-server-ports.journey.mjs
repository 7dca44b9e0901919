// VS Code, at a port of the portal's own host.
const address = process.env.SLUICE_PORTS_URL;
process.env.SLUICE_URL = address ?? process.env.SLUICE_URL;
const { realCode } = await import("./code-server.mjs");
const skip = !address && "SLUICE_PORTS_URL names no gateway";

realCode({ title: "at_a_port", skip });
