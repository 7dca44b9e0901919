// A registry with one image that comes slowly, so that its progress can be looked at.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const PIECE = 512 * 1024;
const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const digest = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** A tar file of one file of random bytes, which do not become smaller. */
function layer(size) {
  const header = Buffer.alloc(512);
  const octal = (number, digits) => `${number.toString(8).padStart(digits - 1, "0")}\0`;
  header.write("weights", 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  );
  return Buffer.concat([header, randomBytes(size), Buffer.alloc(1024)]);
}

/** `rate` pieces of half a MiB come each second; `close` ends those on their way, too. */
export async function slowRegistry({ mebibytes = 96, rate = 2 } = {}) {
  const bytes = layer(mebibytes * 2 ** 20);
  const rootfs = { type: "layers", diff_ids: [digest(bytes)] };
  const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", config: {}, rootfs }));
  const entry = (mediaType, blob) => ({ mediaType, size: blob.length, digest: digest(blob) });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: entry("application/vnd.docker.container.image.v1+json", config),
      layers: [entry("application/vnd.docker.image.rootfs.diff.tar", bytes)],
    }),
  );
  const blobs = new Map([config, bytes].map((blob) => [digest(blob), blob]));
  const server = createServer(async (request, response) => {
    const blob = blobs.get(request.url.split("/").at(-1));
    const body = request.url.includes("/manifests/") ? manifest : (blob ?? Buffer.alloc(0));
    const type = body === manifest ? MANIFEST : "application/octet-stream";
    response.writeHead(200, {
      "content-type": type,
      "content-length": body.length,
      "docker-content-digest": digest(body),
    });
    if (request.method === "HEAD") return response.end();
    for (let at = 0; at < body.length && !response.destroyed; at += PIECE) {
      response.write(body.subarray(at, at + PIECE));
      if (body === bytes) await pause(1000 / rate);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { image: `127.0.0.1:${server.address().port}/team/pytorch:2.9-cuda13`, close };
}
