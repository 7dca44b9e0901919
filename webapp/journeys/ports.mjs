// Ports of this machine.
import { createServer } from "node:net";

/** Nobody listens at it now. */
export async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** All of `first-last`. */
export function portsOf(range) {
  const [first, last] = range.split("-").map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
