# An app inside a job that keeps every byte it is sent, and answers as badly as it is asked to.
import base64, hashlib, os, socket, sys, threading, time

port = int(sys.argv[1])
kept = open(sys.argv[2], "ab", buffering=0)
lock = threading.Lock()
connections = 0


def head(sock, rest):
    data = rest
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            return None, b""
        data += piece
    end = data.index(b"\r\n\r\n") + 4
    return data[:end], data[end:]


def body(sock, lines, rest):
    fields = {l.split(b":", 1)[0].strip().lower(): l.split(b":", 1)[1].strip() for l in lines[1:] if b":" in l}
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        whole = b""
        while True:
            while b"\r\n" not in rest:
                rest += sock.recv(65536)
            size, rest = rest.split(b"\r\n", 1)
            count = int(size, 16)
            while len(rest) < count + 2:
                rest += sock.recv(65536)
            whole += rest[:count]
            rest = rest[count + 2:]
            if count == 0:
                return whole, rest
    length = int(fields.get(b"content-length", b"0"))
    while len(rest) < length:
        piece = sock.recv(1 << 20)
        if not piece:
            break
        rest += piece
    return rest[:length], rest[length:]


def answer(sock, status, fields, content):
    text = "HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n" % (status, len(content), "".join(f + "\r\n" for f in fields))
    sock.sendall(text.encode("latin-1") + content)


def query(path, name):
    from urllib.parse import parse_qs, urlsplit
    return parse_qs(urlsplit(path).query, keep_blank_values=True).get(name, [])


def wait():
    while not os.path.exists(sys.argv[2] + ".go"):
        time.sleep(0.02)


def take(sock, rest, left, sum):
    while left > 0:
        if not rest:
            rest = sock.recv(1 << 20)
            if not rest:
                raise ValueError("torn")
        sum.update(rest[:left])
        left, rest = left - len(rest[:left]), rest[left:]
    return rest


# Reads what comes, which may be large, and says its sum.
def late(sock, lines, rest):
    sum = hashlib.sha256()
    fields = {l.split(b":", 1)[0].strip().lower(): l.split(b":", 1)[1].strip() for l in lines[1:] if b":" in l}
    if b"transfer-encoding" in fields:
        count = 1
        while count > 0:
            while b"\r\n" not in rest:
                rest += sock.recv(65536)
            size, rest = rest.split(b"\r\n", 1)
            count = int(size, 16)
            rest = take(sock, take(sock, rest, count, sum), 2, hashlib.sha256())
    else:
        rest = take(sock, rest, int(fields.get(b"content-length", b"0")), sum)
    answer(sock, "200 OK", [], sum.hexdigest().encode() + b".")
    return rest


def serve(sock):
    global connections
    with lock:
        connections += 1
    rest = b""
    try:
        while True:
            raw, rest = head(sock, rest)
            if raw is None:
                return
            with lock:
                kept.write(raw + b"\n--\n")
            lines = raw.split(b"\r\n")
            method, path, _ = lines[0].decode("latin-1").split(" ", 2)
            if path.startswith("/late"):
                wait()
                rest = late(sock, lines, rest)
                continue
            sent, rest = body(sock, lines, rest)
            name = path.split("?")[0]
            if name == "/echo":
                answer(sock, "200 OK", ["Content-Type: text/plain", "X-Got: %d" % len(sent), "X-Sha: " + hashlib.sha256(sent).hexdigest()], raw)
            elif name == "/fields":
                answer(sock, "200 OK", query(path, "f"), b"fields")
            elif name == "/status":
                answer(sock, query(path, "s")[0] + " Said", query(path, "f"), b"")
            elif name == "/bomb":
                answer(sock, "200 OK", ["Set-Cookie: bomb%d=%s; Path=/; Domain=localhost" % (i, "x" * 3900) for i in range(int(query(path, "n")[0]))], b"bomb")
            elif name == "/connections":
                answer(sock, "200 OK", [], str(connections).encode())
            elif name == "/big":
                size = int(query(path, "n")[0])
                sock.sendall(("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size).encode())
                piece = b"x" * 65536
                while size > 0:
                    sock.sendall(piece[:min(size, len(piece))])
                    size -= len(piece)
            elif name == "/endless":
                sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                sent_bytes = 0
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                while True:
                    sock.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                    sent_bytes += 65536
                    with open(sys.argv[2] + ".sent", "w") as f:
                        f.write(str(sent_bytes))
            elif name == "/ticks":
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
                for i in range(1000):
                    sock.sendall(b"8\r\ndata: x\n\r\n")
                    time.sleep(0.05)
            elif name == "/until":
                sock.sendall(b"HTTP/1.1 200 OK\r\nX-Own: yes\r\n\r\nuntil it closes")
                return
            elif name == "/chunks":
                sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                time.sleep(0.05)
                sock.sendall(b"6;x=y\r\n again\r\n0\r\nX-Trailer: 1\r\n\r\n")
            elif name == "/half":
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
                return
            elif name == "/garbage":
                sock.sendall(b"\x00\x01\x02 nothing that is HTTP\r\n\r\n")
                return
            elif name == "/first":
                sock.sendall(query(path, "l")[0].encode("latin-1") + b"\r\n\r\n")
                sock.recv(1)
                return
            elif name == "/location":
                sock.sendall(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + bytes.fromhex(path.split("?")[1]) + b"\r\n\r\n")
            elif name == "/switch":
                sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
                sock.recv(1)
                return
            elif name == "/soon":
                while True:
                    sock.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 20)
            elif name == "/close":
                return
            elif name == "/die":
                os._exit(1)
            elif name == "/hang":
                time.sleep(600)
            elif name == "/wide":
                answer(sock, "200 OK", ["X-%d: %s" % (i, "y" * 1000) for i in range(300)], b"")
            elif name == "/two":
                answer(sock, "200 OK", [], b"one")
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nSTOLEN")
            elif name == "/both":
                sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            elif name == "/pong":
                key = [l.split(b":", 1)[1].strip() for l in lines if l.lower().startswith(b"sec-websocket-key:")][0]
                accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
                sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")
                while True:
                    frame = sock.recv(1000)
                    if len(frame) < 6:
                        return
                    mask, text = frame[2:6], frame[6:6 + (frame[1] & 127)]
                    sock.sendall(bytes([0x8A, len(text)]) + bytes(b ^ mask[i % 4] for i, b in enumerate(text)))
                    if "once" in path:
                        time.sleep(0.2)
                        return
            elif name == "/ws":
                key = [l.split(b":", 1)[1].strip() for l in lines if l.lower().startswith(b"sec-websocket-key:")][0]
                accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
                sock.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSet-Cookie: sluice_session=owned; Path=/\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n" + rest)
                if "late" in path:
                    wait()
                    sum = hashlib.sha256()
                    take(sock, rest, int(query(path, "late")[0]), sum)
                    sock.sendall(sum.hexdigest().encode() + b".")
                if "flood" in path:
                    sent_bytes = 0
                    while True:
                        sock.sendall(b"z" * 65536)
                        sent_bytes += 65536
                        with open(sys.argv[2] + ".flood", "w") as f:
                            f.write(str(sent_bytes))
                while True:
                    piece = sock.recv(65536)
                    if not piece:
                        return
                    sock.sendall(piece)
            else:
                answer(sock, "200 OK", ["Content-Type: text/html"], b"<h1>" + os.environ.get("WHO", "app").encode() + b"</h1>")
    except (OSError, ValueError, IndexError):
        pass
    finally:
        sock.close()


listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1", port))
listener.listen(512)
print("listens", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
