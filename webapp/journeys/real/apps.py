# Two apps as people write them: one streams what it computes (events, pieces, a WebSocket), one has nothing but absolute links.
import base64, hashlib, http.server, os, sys, threading, time

STREAMS = b"""<!doctype html><title>streams</title><h1>streams</h1><output id="events"></output><output id="pieces"></output><output id="socket"></output><script>
const say = (id, text) => { document.getElementById(id).textContent += text; };
new EventSource("events").onmessage = (event) => say("events", event.data);
fetch("pieces", { method: "POST", body: "go" }).then(async (answer) => {
  const reader = answer.body.getReader();
  for (let times = []; ; ) { const { done, value } = await reader.read(); if (done) { say("pieces", "|" + (times.at(-1) - times[0] > 400 ? "streamed" : "at once")); break; } times.push(performance.now()); say("pieces", new TextDecoder().decode(value)); }
});
const socket = new WebSocket(new URL("queue", location.href.replace(/^http/, "ws")));
socket.onmessage = (event) => say("socket", event.data);
</script>"""
LINKS = {
    "/": ("text/html", b'<!doctype html><title>links</title><link rel="stylesheet" href="/static/s.css"><h1>first</h1><img id="p" src="/static/p.svg"><a href="/deep/second?x=1#y">on</a><form action="/form" method="post"><input name="a" value="b"><button>send</button></form>'),
    "/static/s.css": ("text/css", b"h1 { color: rgb(1, 2, 3) }"),
    "/static/p.svg": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"/>'),
    "/deep/second": ("text/html", b'<!doctype html><h1>second</h1><a href="/moved">home</a>'),
}


class Quiet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self, kind, text, status=200, more=()):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(text))), *more]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *ignored):
        pass


class Streams(Quiet):
    def pieces(self, kind, texts):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in texts:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
            self.wfile.flush()
            time.sleep(0.2)
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.pieces("text/plain", [b"p%d " % i for i in range(5)])

    def do_GET(self):
        if self.path == "/queue":
            accept = base64.b64encode(hashlib.sha1((self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            self.send_response(101)
            for name, value in [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]:
                self.send_header(name, value)
            self.end_headers()
            for i in range(3):
                self.wfile.write(b"\x81\x03w%d " % i)
                self.wfile.flush()
                time.sleep(0.2)
            self.connection.recv(100)
            self.close_connection = True
        elif self.path == "/events":
            self.pieces("text/event-stream", [b"data: e%d \n\n" % i for i in range(3)] + [b": rests\n\n"] * 20)
        else:
            self.say("text/html", STREAMS)


class Links(Quiet):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path == "/moved":
            self.say("text/plain", b"", 302, [("Location", "http://127.0.0.1:%d/" % self.server.server_port)])
        else:
            self.say(*LINKS.get(path, ("text/plain", b"none")))

    def do_POST(self):
        said = self.rfile.read(int(self.headers["Content-Length"]))
        self.say("text/html", b"<h1>" + said + b"</h1>")


host = sys.argv[1]
for port, app in [(sys.argv[2], Streams), (sys.argv[3], Links)]:
    threading.Thread(target=http.server.ThreadingHTTPServer((host, int(port)), app).serve_forever).start()
