// A real network between browser and gateway that can be cut, or fall asleep: TCP relays on ports of their own.
import { connect, createServer } from "node:net";
import { gateway } from "./browser.mjs";

/** With `ports`, those of the gateway's host lead there too; they keep their numbers, and so have another address of this machine. */
export async function layCable({ ports = [], address = ports.length > 0 ? "127.0.0.2" : "127.0.0.1" } = {}) {
  const { hostname, port } = new URL(gateway);
  const open = new Set();
  const waiting = new Set();
  let cut = false;
  let asleep = false;
  const join = (near, to) => {
    const pair = { near, far: connect(to, hostname), lost: false };
    open.add(pair);
    for (const [end, other] of [
      [pair.near, pair.far],
      [pair.far, pair.near],
    ]) {
      const over = () => pair.lost || other.destroy();
      end.on("error", over);
      end.on("close", () => {
        over();
        if (pair.near.destroyed && pair.far.destroyed) open.delete(pair);
      });
      end.pipe(other);
    }
  };
  const lay = async (at, to) => {
    const server = createServer((near) => {
      if (cut) near.destroy();
      else if (asleep) waiting.add(near.on("error", () => near.destroy()));
      else join(near, to);
    });
    await new Promise((listening, failed) => server.on("error", failed).listen(at, address, listening));
    return server;
  };
  const main = await lay(0, Number(port));
  const servers = [main, ...(await Promise.all(ports.map((each) => lay(each, each))))];
  return {
    origin: `http://${address}:${main.address().port}`,
    /** Both sides hear of it. */
    cut() {
      cut = true;
      for (const { near, far } of open) {
        near.destroy();
        far.destroy();
      }
    },
    mend() {
      cut = false;
    },
    /** The laptop is closed: nobody hears of it, nothing goes through, and what is sent stays where it is. */
    sleep() {
      asleep = true;
      for (const { near, far } of open) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    /** It is opened somewhere else: its connections are gone, and the gateway has still not heard of that. */
    wake() {
      asleep = false;
      for (const pair of open) {
        pair.lost = true;
        pair.near.destroy();
      }
      for (const near of waiting) near.destroy();
      waiting.clear();
    },
    close() {
      this.cut();
      for (const server of servers) server.close();
    },
  };
}
