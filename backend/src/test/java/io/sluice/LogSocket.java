package io.sluice;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;

/**
 * A WebSocket that reads bytes in the order in which they come. The JDK's own client (25.0.3) mixes up what has arrived together with the
 * answer to the upgrade, by 16 KiB and more, on a machine with much else to do: a log seemed to lack bytes that had been sent.
 */
final class LogSocket implements WebSocket {
    private static final int TEXT = 1;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final Socket socket;
    private final Listener listener;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Semaphore wanted = new Semaphore(0);

    /** Another answer than that the socket is open. */
    static final class Refused extends IOException {
        private static final long serialVersionUID = 1;
        private final int status;

        Refused(int status, String answer) {
            super(answer);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    private LogSocket(Socket socket, Listener listener) throws IOException {
        this.socket = socket;
        this.listener = listener;
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
    }

    static LogSocket open(SSLContext tls, URI address, String token, Listener listener) {
        try {
            Socket socket = address.getScheme().equals("wss")
                    ? tls.getSocketFactory().createSocket(address.getHost(), address.getPort())
                    : new Socket(address.getHost(), address.getPort());
            try {
                socket.setTcpNoDelay(true);
                var opened = new LogSocket(socket, listener);
                opened.greet(address, token);
                Thread.ofVirtual().name("log-socket").start(opened::read);
                return opened;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void greet(URI address, String token) throws IOException {
        out.write(("GET " + address.getRawPath()
                        + (address.getRawQuery() == null ? "" : "?" + address.getRawQuery())
                        + " HTTP/1.1\r\nHost: " + address.getAuthority()
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
                        + "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: sluice.logs.v1\r\nAuthorization: Bearer "
                        + token + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        var answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            answer.append((char) in.readUnsignedByte());
        }
        int status = Integer.parseInt(answer.substring("HTTP/1.1 ".length(), "HTTP/1.1 ".length() + 3));
        if (status != 101) {
            throw new Refused(status, answer.toString());
        }
    }

    private void read() {
        listener.onOpen(this);
        try {
            while (next()) {}
            socket.close();
        } catch (IOException | InterruptedException e) {
            listener.onError(this, e);
        }
    }

    private boolean next() throws IOException, InterruptedException {
        wanted.acquire();
        int first = in.readUnsignedByte();
        int length = in.readUnsignedByte();
        byte[] payload = new byte
                [length == 126 ? in.readUnsignedShort() : length == 127 ? Math.toIntExact(in.readLong()) : length];
        in.readFully(payload);
        boolean last = (first & 0x80) != 0;
        switch (first & 0x0F) {
            case TEXT -> listener.onText(this, new String(payload, StandardCharsets.UTF_8), last);
            case CLOSE -> {
                send(CLOSE, payload);
                String reason = new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8);
                listener.onClose(this, ByteBuffer.wrap(payload).getShort() & 0xFFFF, reason);
                return false;
            }
            case PING -> {
                send(PONG, payload);
                wanted.release();
            }
            case PONG -> wanted.release();
            default -> listener.onBinary(this, ByteBuffer.wrap(payload), last);
        }
        return true;
    }

    /** With a mask of zeros, which changes nothing. */
    private synchronized void send(int opcode, byte[] payload) throws IOException {
        var frame = ByteBuffer.allocate(payload.length + 8).put((byte) (0x80 | opcode));
        if (payload.length < 126) {
            frame.put((byte) (0x80 | payload.length));
        } else {
            frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
        }
        frame.putInt(0).put(payload);
        out.write(Arrays.copyOf(frame.array(), frame.position()));
    }

    private CompletableFuture<WebSocket> sent(int opcode, byte[] payload) {
        try {
            send(opcode, payload);
            return CompletableFuture.completedFuture(this);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<WebSocket> sendText(CharSequence text, boolean last) {
        return sent(TEXT, text.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public CompletableFuture<WebSocket> sendBinary(ByteBuffer data, boolean last) {
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        return sent(2, bytes);
    }

    @Override
    public CompletableFuture<WebSocket> sendPing(ByteBuffer message) {
        return sent(PING, new byte[0]);
    }

    @Override
    public CompletableFuture<WebSocket> sendPong(ByteBuffer message) {
        return sent(PONG, new byte[0]);
    }

    @Override
    public CompletableFuture<WebSocket> sendClose(int code, String reason) {
        return sent(CLOSE, ByteBuffer.allocate(2).putShort((short) code).array());
    }

    @Override
    public void request(long count) {
        wanted.release((int) Math.min(count, 1 << 20));
    }

    @Override
    public String getSubprotocol() {
        return "sluice.logs.v1";
    }

    @Override
    public boolean isOutputClosed() {
        return socket.isClosed();
    }

    @Override
    public boolean isInputClosed() {
        return socket.isClosed();
    }

    @Override
    public void abort() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
