// A few followers of a log over WebSocket, who count what comes; many are followed by io.sluice.logs.FollowersBench.
import { connect } from "node:net";

/** Opens so many sockets, all past their handshake when it returns. */
export async function followers(port, path, count, headers = {}) {
  const crowd = { bytes: 0, sockets: [] };
  for (let begun = 0; begun < count; begun += 50) {
    const some = Array.from({ length: Math.min(50, count - begun) }, () => follower(port, path, headers, crowd));
    crowd.sockets.push(...(await Promise.all(some)));
  }
  crowd.close = () => {
    for (const socket of crowd.sockets) socket.destroy();
  };
  return crowd;
}

function follower(port, path, headers, crowd) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let greeting = "";
    const greet = (piece) => {
      greeting += piece.toString("latin1");
      if (!greeting.includes("\r\n\r\n")) return;
      if (!greeting.startsWith("HTTP/1.1 101")) return reject(new Error(greeting.slice(0, 300)));
      socket.off("data", greet);
      socket.on("data", (data) => {
        crowd.bytes += data.length;
      });
      resolve(socket);
    };
    socket.on("data", greet);
    socket.on("error", reject);
    const { Host = `127.0.0.1:${port}`, ...rest } = headers;
    const more = Object.entries(rest).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${Host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${more.join("")}\r\n`,
    );
  });
}
