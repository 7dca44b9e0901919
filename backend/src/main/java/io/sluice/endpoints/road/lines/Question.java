package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** A request as an app gets it: with the headers that it is to see, and its body as it comes. */
public final class Question {
    private static final int HEAD_CHARACTERS = 1_024;
    private static final byte[] CRLF = ascii("\r\n");

    private final HttpServerRequest request;
    private final String uri;
    private final MultiMap headers;
    private final boolean body;
    private final boolean chunked;
    private long left;

    public Question(HttpServerRequest request, String uri, MultiMap headers) {
        this.request = request;
        this.uri = uri;
        this.headers = headers;
        this.body = hasBody(request);
        String length = headers.get(HttpHeaders.CONTENT_LENGTH);
        this.chunked = body && length == null;
        this.left = body && length != null ? Long.parseLong(length) : 0;
        if (length != null && !body) {
            // what is not told must not be waited for: the app would take the next question for it
            headers.set(HttpHeaders.CONTENT_LENGTH, "0");
        }
        if (chunked) {
            headers.set(HttpHeaders.TRANSFER_ENCODING, HttpHeaders.CHUNKED);
        }
    }

    public static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (request.version() != HttpVersion.HTTP_2) {
            return request.headers().contains(HttpHeaders.TRANSFER_ENCODING) || (length != null && !length.equals("0"));
        }
        boolean usual = !HttpMethod.GET.equals(request.method()) && !HttpMethod.HEAD.equals(request.method());
        return !request.isEnded() && (length == null ? usual : !length.equals("0"));
    }

    public boolean hasBody() {
        return body;
    }

    /** Sends the head. */
    public void ask(Line line) {
        var text = new StringBuilder(HEAD_CHARACTERS)
                .append(request.method().name())
                .append(' ')
                .append(uri)
                .append(" HTTP/1.1\r\n");
        for (Map.Entry<String, String> header : headers) {
            text.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        byte[] bytes = text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        ByteBuf head = line.channel().alloc().ioBuffer(bytes.length).writeBytes(bytes);
        line.ask(head, HttpMethod.HEAD.equals(request.method()), !body);
    }

    /**
     * Sends the body, as fast as it comes and the app takes it.
     *
     * @param wanted whether the app is still there for it
     * @param torn it is not as long as it was said to be, or broke off
     */
    public void tell(Line line, BooleanSupplier wanted, Runnable torn) {
        request.exceptionHandler(gone -> torn.run());
        request.handler(piece -> {
            // an empty chunk would be the end of the body, and what follows it another request
            if (!wanted.getAsBoolean() || piece.length() == 0) {
                return;
            }
            if (!chunked && piece.length() > left) {
                torn.run();
                return;
            }
            left -= chunked ? 0 : piece.length();
            line.send(framed(piece));
            if (!line.isWritable()) {
                request.pause();
            }
        });
        request.endHandler(all -> {
            if (wanted.getAsBoolean()) {
                end(line, torn);
            }
        });
        request.resume();
    }

    private void end(Line line, Runnable torn) {
        if (left > 0) {
            torn.run();
            return;
        }
        if (chunked) {
            line.send(Unpooled.wrappedBuffer(ascii("0\r\n\r\n")));
        }
        line.sent();
    }

    private ByteBuf framed(Buffer piece) {
        ByteBuf bytes = ((BufferInternal) piece).getByteBuf();
        return chunked ? chunk(bytes) : bytes;
    }

    /** Some of a body of which nobody knows the length. */
    static ByteBuf chunk(ByteBuf bytes) {
        byte[] size = ascii(Integer.toHexString(bytes.readableBytes()) + "\r\n");
        return Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(size), bytes, Unpooled.wrappedBuffer(CRLF));
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
