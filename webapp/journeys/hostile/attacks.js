// What a hostile page tries. Each way resolves with what it got, or rejects; tried on the page's own address it must get something.
const base = new URL(".", location.href).href;
const here = (path) => new URL(path, base).href;

function loaded(kind, fields, attribute) {
  return (address) =>
    new Promise((got, refused) => {
      const element = Object.assign(document.createElement(kind), fields);
      element.onload = () => got("loaded");
      element.onerror = () => refused(new Error("not loaded"));
      element[attribute] = address;
      document.body.append(element);
    });
}

const ways = {
  fetch: async (address, credentials) => (await fetch(address, { credentials })).text(),
  fetchWithHeader: async (address, credentials) =>
    (await fetch(address, { credentials, headers: { "X-Own": "1" } })).text(),
  request: (address, credentials) =>
    new Promise((got, refused) => {
      const request = new XMLHttpRequest();
      request.onload = () => got(request.responseText);
      request.onerror = () => refused(new Error("not answered"));
      request.open("GET", address);
      request.withCredentials = credentials === "include";
      request.send();
    }),
  events: (address, credentials) =>
    new Promise((got, refused) => {
      const events = new EventSource(address, { withCredentials: credentials === "include" });
      events.onmessage = (event) => {
        events.close();
        got(event.data);
      };
      events.onerror = () => {
        events.close();
        refused(new Error("no events"));
      };
    }),
  socket: (address) =>
    new Promise((got, refused) => {
      const socket = new WebSocket(address.replace(/^http/, "ws"));
      socket.onopen = () => {
        socket.close();
        got("open");
      };
      socket.onerror = () => refused(new Error("not opened"));
    }),
  script: loaded("script", {}, "src"),
  style: loaded("link", { rel: "stylesheet" }, "href"),
  picture: loaded("img", {}, "src"),
  module: async (address) => Object.keys(await import(address)).join(),
  frame: (address) =>
    new Promise((got, refused) => {
      const frame = document.createElement("iframe");
      frame.onload = () => {
        const title = frame.contentDocument?.title;
        title ? got(title) : refused(new Error("closed"));
      };
      frame.src = address;
      document.body.append(frame);
    }),
  object: (address) =>
    new Promise((got, refused) => {
      const object = Object.assign(document.createElement("object"), { type: "text/html", width: 50, height: 50 });
      object.onload = () =>
        object.contentDocument?.title ? got(object.contentDocument.title) : refused(new Error("closed"));
      object.onerror = () => refused(new Error("not loaded"));
      object.data = address;
      document.body.append(object);
    }),
  popup: async (address) => {
    const popup = window.open(address);
    for (let i = 0; i < 30; i++) {
      await new Promise((later) => setTimeout(later, 50));
      if (popup?.document.title) break;
    }
    const title = popup.document.title;
    popup.close();
    if (!title) throw new Error("nothing to see");
    return title;
  },
  worker: (address) =>
    new Promise((got, refused) => {
      const worker = new Worker(address);
      worker.onmessage = (event) => got(event.data);
      worker.onerror = () => refused(new Error("not run"));
    }),
  imports: (address) =>
    new Promise((got, refused) => {
      const worker = new Worker(here("imports.js"));
      worker.onmessage = (event) => (event.data === "ran" ? got("ran") : refused(new Error(event.data)));
      worker.postMessage(address);
    }),
  // as a page of nobody's, which some servers take for harmless
  nobody: (address) =>
    new Promise((got, refused) => {
      addEventListener("message", (event) => {
        event.data.got ? got(event.data.got) : refused(new Error(event.data.refused));
      });
      const frame = document.createElement("iframe");
      frame.sandbox = "allow-scripts";
      frame.srcdoc = `<script>fetch(${JSON.stringify(address)}, { credentials: "include" }).then((answer) => answer.text()).then((text) => parent.postMessage({ got: text || "empty" }, "*"), (fault) => parent.postMessage({ refused: String(fault) }, "*"));</script>`;
      document.body.append(frame);
    }),
  redirected: async (address, credentials) =>
    (await fetch(here(`to?u=${encodeURIComponent(address)}`), { credentials })).text(),
  form: (address) => posted(address, "application/x-www-form-urlencoded"),
  formOfText: (address) => posted(address, "text/plain"),
  formOfParts: (address) => posted(address, "multipart/form-data"),
  blind: async (address) =>
    (await fetch(address, { method: "POST", mode: "no-cors", credentials: "include", body: '{"value":"x"}' })).type,
  beacon: async (address) => {
    const taken = navigator.sendBeacon(address, new Blob(["x=1"], { type: "text/plain" }));
    await new Promise((later) => setTimeout(later, 300));
    return taken;
  },
  worksAlways: async (scope) => (await navigator.serviceWorker.register(here("sw.js"), { scope })).scope,
  worksWide: async (scope) => (await navigator.serviceWorker.register(here("deep/sw.js"), { scope })).scope,
};

/** What a form does is not seen by its page: whoever asked looks for what became of it. */
function posted(address, enctype) {
  return new Promise((over) => {
    const frame = document.createElement("iframe");
    frame.name = `into${Math.random()}`;
    document.body.append(frame);
    const form = Object.assign(document.createElement("form"), {
      method: "post",
      action: address,
      enctype,
      target: frame.name,
    });
    for (const [name, value] of Object.entries({
      language: "zh",
      with: "mallory",
      value: "STOP",
      jobName: "stolen",
      recipe: "port",
      name: "stolen",
    }))
      form.append(Object.assign(document.createElement("input"), { name, value }));
    document.body.append(form);
    frame.onload = () => over("sent");
    form.submit();
  });
}

// a promise that never ends is a refusal too
window.attempt = (way, address, credentials = "include") =>
  Promise.race([
    Promise.resolve()
      .then(() => ways[way](address, credentials))
      .then((got) => ({ got: String(got).slice(0, 500) })),
    new Promise((late) => setTimeout(() => late({ refused: "nothing came" }), 3_000)),
  ]).catch((fault) => ({ refused: `${fault?.name ?? "Event"}: ${fault?.message ?? fault?.type ?? fault}` }));
window.here = here;
