// Followers of a log over WebSocket: many that count, some that also read the time in each line.
import { connect } from "node:net";
import { hrtime } from "node:process";

const MARK = /@(\d{10,20})@/g;

/** Opens so many sockets, all past their handshake when it returns. */
export async function followers(port, path, count, headers = {}) {
  const crowd = { bytes: 0, waits: [], measuring: false, sockets: [] };
  for (let begun = 0; begun < count; begun += 50) {
    const some = Array.from({ length: Math.min(50, count - begun) }, (_, n) =>
      follower(port, path, headers, begun + n < 10, crowd),
    );
    crowd.sockets.push(...(await Promise.all(some)));
  }
  crowd.close = () => {
    for (const socket of crowd.sockets) socket.destroy();
  };
  return crowd;
}

function follower(port, path, headers, reads, crowd) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let greeting = "";
    const greet = (piece) => {
      greeting += piece.toString("latin1");
      if (!greeting.includes("\r\n\r\n")) return;
      if (!greeting.startsWith("HTTP/1.1 101")) return reject(new Error(greeting.slice(0, 300)));
      socket.off("data", greet);
      socket.on("data", (data) => count(data, reads, crowd));
      resolve(socket);
    };
    socket.on("data", greet);
    socket.on("error", reject);
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${more.join("")}\r\n`,
    );
  });
}

function count(data, reads, crowd) {
  if (!crowd.measuring) return;
  crowd.bytes += data.length;
  if (!reads) return;
  const now = hrtime.bigint();
  for (const [, printed] of data.toString("latin1").matchAll(MARK))
    crowd.waits.push(Number(now - BigInt(printed)) / 1e6);
}
