# An app that opens itself to everybody by every header there is, and remembers every head that it was sent.
import base64, hashlib, http.server, json, os, sys, threading, time, urllib.parse

SCRIPT = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "attacks.js"), "rb").read()
CANARY = "CANARY-" + os.environ.get("WHO", "app")
kept, lock, count = [], threading.Lock(), 0


def page(title):
    return ("<!doctype html><title>%s</title><h1>%s</h1>" % (title, title)).encode()


ANSWERS = {
    "/": ("text/html", page(CANARY).replace(b"<h1>", b'<script src="attacks.js"></script><h1>')),
    "/attacks.js": ("text/javascript", SCRIPT),
    "/page": ("text/html", page(CANARY)),
    "/data": ("text/plain", CANARY.encode()),
    "/script.js": ("text/javascript", b"self.ran = 'ran';"),
    "/module.mjs": ("text/javascript", b"export const ran = 'ran';"),
    "/style.css": ("text/css", b"h1 { --ran: ran }"),
    "/picture.svg": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"/>'),
    "/worker.js": ("text/javascript", b"postMessage('ran')"),
    "/imports.js": ("text/javascript", b"onmessage = (e) => { try { importScripts(e.data); postMessage('ran'); } catch (x) { postMessage('refused ' + x.name); } }"),
    "/sw.js": ("text/javascript", b"oninstall = () => skipWaiting(); onactivate = () => clients.claim(); onfetch = (e) => e.respondWith(new Response('taken over'))"),
    "/deep/sw.js": ("text/javascript", b"onfetch = (e) => e.respondWith(new Response('taken over'))"),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def fields(self, status, kind, length, more=()):
        self.send_response(status)
        origin = self.headers.get("Origin") or "*"
        for name, value in [
            ("Content-Type", kind), ("Content-Length", str(length)), ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Allow-Credentials", "true"), ("Access-Control-Allow-Headers", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
            ("Service-Worker-Allowed", "/"), ("Content-Security-Policy", "frame-ancestors *"), ("Cross-Origin-Opener-Policy", "unsafe-none"),
            *more,
        ]:
            self.send_header(name, value)
        self.end_headers()

    def handle_one(self):
        global count
        path = urllib.parse.urlsplit(self.path)
        with lock:
            kept.append(self.requestline + "\n" + str(self.headers))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        ask = urllib.parse.parse_qs(path.query)
        key = self.headers.get("Sec-WebSocket-Key")
        if key:
            accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.send_response(101)
            for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]:
                self.send_header(name, value)
            self.end_headers()
            self.connection.recv(1000)
            self.close_connection = True
        elif path.path == "/events":
            self.fields(200, "text/event-stream", 9)
            self.wfile.write(b"data: x\n\n")
        elif path.path == "/count":
            with lock:
                count += self.command == "POST"
            told = str(count).encode()
            self.fields(200, "text/plain", len(told))
            self.wfile.write(told)
        elif path.path == "/kept":
            told = "\n\n".join(kept).encode()
            self.fields(200, "text/plain", len(told))
            self.wfile.write(told)
        elif path.path == "/say":
            self.fields(200, "text/plain", 4, [tuple(line.split(": ", 1)) for line in ask.get("f", [])])
            self.wfile.write(b"said")
        elif path.path == "/bomb":
            self.fields(200, "text/plain", 4, [("Set-Cookie", "bomb%d=%s; Path=/" % (i, "x" * 3900)) for i in range(12)])
            self.wfile.write(b"said")
        elif path.path == "/to":
            self.fields(302, "text/plain", 0, [("Location", ask["u"][0])])
        else:
            kind, text = ANSWERS.get(path.path, ("text/plain", b"nothing"))
            self.fields(200, kind, len(text))
            self.wfile.write(text)

    do_GET = do_POST = do_PUT = handle_one

    def log_message(self, *ignored):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PAI_CURRENT_CONTAINER_PORT"])), Handler).serve_forever()
