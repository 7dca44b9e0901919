// A real network between browser and gateway that can be cut: TCP relays on ports of their own.
import { connect, createServer } from "node:net";
import { gateway } from "./browser.mjs";

/** With `ports`, those of the gateway's host lead there too; they keep their numbers, and so have another address of this machine. */
export async function layCable({ ports = [], near = ports.length > 0 ? "127.0.0.2" : "127.0.0.1" } = {}) {
  const { hostname, port } = new URL(gateway);
  const open = new Set();
  let cut = false;
  const lay = async (at, to) => {
    const server = createServer((one) => {
      if (cut) return one.destroy();
      const other = connect(to, hostname);
      for (const [end, rest] of [
        [one, other],
        [other, one],
      ]) {
        open.add(end);
        end.on("error", () => rest.destroy());
        end.on("close", () => {
          open.delete(end);
          rest.destroy();
        });
        end.pipe(rest);
      }
    });
    await new Promise((listening, failed) => server.on("error", failed).listen(at, near, listening));
    return server;
  };
  const main = await lay(0, Number(port));
  const servers = [main, ...(await Promise.all(ports.map((each) => lay(each, each))))];
  return {
    origin: `http://${near}:${main.address().port}`,
    cut() {
      cut = true;
      for (const end of open) end.destroy();
    },
    mend() {
      cut = false;
    },
    close() {
      this.cut();
      for (const server of servers) server.close();
    },
  };
}
