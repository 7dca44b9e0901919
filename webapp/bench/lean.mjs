// A client that costs next to nothing: on two processors a load that is made by node:http takes from the gateway what it is to measure.
import { connect } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");

/** One connection that stays, and one request at a time on it; the answer is its status. */
export function line(address, headers) {
  const { hostname, port, host } = new URL(address);
  const socket = connect({ host: hostname, port, noDelay: true });
  const fixed = Object.entries({ host, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  let heard = Buffer.alloc(0);
  let waiting;
  const settle = (how, value) => {
    const { resolve, reject } = waiting ?? {};
    waiting = undefined;
    if (how === "answered") resolve?.(value);
    else reject?.(value);
  };
  socket.on("data", (bytes) => {
    heard = heard.length ? Buffer.concat([heard, bytes]) : bytes;
    const end = heard.indexOf(HEAD_END);
    if (end < 0) return;
    const head = heard.latin1Slice(0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head);
    if (!length) return settle("failed", new Error(`an answer without a length: ${head}`));
    const whole = end + HEAD_END.length + Number(length[1]);
    if (heard.length < whole) return;
    const status = Number(head.slice(9, 12));
    const body = heard.subarray(end + HEAD_END.length, whole);
    heard = heard.subarray(whole);
    settle("answered", { status, body });
  });
  socket.on("error", (error) => settle("failed", error));
  socket.on("close", () => settle("failed", new Error("the gateway closed the connection")));
  return {
    send(method, path, text) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(`${method} ${path} HTTP/1.1\r\n${fixed}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      });
    },
    close: () => socket.destroy(),
  };
}

/** Sends so many texts by so many lines; a text that is not taken in ends it. */
export async function submitted(address, authorization, lines, count, text) {
  const open = Array.from({ length: lines }, () => line(address, { authorization, "content-type": "text/yaml" }));
  let next = 0;
  try {
    await Promise.all(
      open.map(async (one) => {
        while (next < count) {
          const { status, body } = await one.send("POST", "/api/v2/jobs", text(next++));
          if (status !== 202) throw new Error(`a submission is answered ${status}: ${body}`);
        }
      }),
    );
  } finally {
    for (const one of open) one.close();
  }
}
