// In Grafana's place: its addresses, a page that shows what it was asked for, and no more. A journey opens and closes it as it likes.
import { createServer } from "node:http";

const PAGE = (url, user) => `<!doctype html><html lang="en"><head><title>Grafana</title><style>
  body { margin: 0; padding: 16px; font: 13px sans-serif; ${
    url.searchParams.get("theme") === "dark"
      ? "background: #111217; color: #ccccdc"
      : "background: #f4f5f5; color: #24292e"
  } }
  div { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 8px }
  section { height: 180px; padding: 8px; border: 1px solid #8884 }
</style></head><body><p>Stand-in for Grafana, for ${user}: ${[...url.searchParams].map((one) => one.join("=")).join(" · ")}</p>
<div>${["Utilisation", "Device memory", "Power", "Temperature"].map((title) => `<section>${title}</section>`).join("")}</div></body></html>`;

/** Listens at this port; `asked` holds the addresses of the pages that were asked for, with the user each was for. */
export async function standIn(port) {
  const asked = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://grafana");
    if (url.pathname === "/grafana/api/health") {
      response.setHeader("Content-Type", "application/json").end('{"database":"ok","version":"13.0.1"}');
      return;
    }
    const user = request.headers["x-webauth-user"];
    asked.push({ url, user });
    response.setHeader("Content-Type", "text/html").end(PAGE(url, user));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { asked, close };
}
