// A WebSocket that only listens: Node.js 20 has none of its own.
import { randomBytes } from "node:crypto";
import { request } from "node:http";

/** Calls `told` with the text of each message; resolves once it is open. */
export function listen(address, path, { headers, protocol, told }) {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, address), {
      headers: {
        ...headers,
        origin: address,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": randomBytes(16).toString("base64"),
        "sec-websocket-protocol": protocol,
      },
    });
    asked.on("response", (answer) => reject(new Error(`${path} answers ${answer.statusCode} to a WebSocket`)));
    asked.on("error", reject);
    asked.on("upgrade", (_, socket, head) => {
      const messages = frames(told);
      messages(head);
      socket.on("data", messages);
      socket.on("error", () => {});
      resolve({ close: () => socket.destroy() });
    });
    asked.end();
  });
}

/** Takes bytes as they come and gives text messages, whole. */
function frames(told) {
  let rest = Buffer.alloc(0);
  let message = [];
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 2) {
      const short = rest[1] & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (rest.length < head) return;
      const length = short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2));
      if (rest.length < head + length) return;
      const kind = rest[0] & 0x0f;
      if (kind < 2) message.push(rest.subarray(head, head + length));
      if (kind < 2 && rest[0] & 0x80) {
        told(Buffer.concat(message).toString());
        message = [];
      }
      rest = rest.subarray(head + length);
    }
  };
}
