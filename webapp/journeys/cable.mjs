// A real network between browser and gateway that can be cut: a TCP relay on a port of its own.
import { connect, createServer } from "node:net";
import { gateway } from "./browser.mjs";

export async function layCable() {
  const { hostname, port } = new URL(gateway);
  const open = new Set();
  let cut = false;
  const server = createServer((near) => {
    if (cut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ]) {
      open.add(end);
      end.on("error", () => other.destroy());
      end.on("close", () => {
        open.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    cut() {
      cut = true;
      for (const end of open) end.destroy();
    },
    mend() {
      cut = false;
    },
    close() {
      this.cut();
      server.close();
    },
  };
}
