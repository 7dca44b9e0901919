package io.sluice.web;

import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An answer, as a value: what to send, with which headers and cookies. The edge sends it. */
public final class Reply {
    /** What is sent. */
    sealed interface Content {
        record Json(Object value) implements Content {}

        record Bytes(String type, Buffer bytes) implements Content {}

        record Page(String template, Object page) implements Content {}

        record Socket(BiConsumer<ServerWebSocket, Channel> opened) implements Content {}

        record Stream(Function<HttpServerResponse, Future<Void>> written, boolean quiet) implements Content {}

        record Nothing() implements Content {}
    }

    final int status;
    final Content content;
    final Map<String, String> headers;
    final List<Cookie> cookies;

    private Reply(int status, Content content, Map<String, String> headers, List<Cookie> cookies) {
        this.status = status;
        this.content = content;
        this.headers = headers;
        this.cookies = cookies;
    }

    /** Any value that Jackson can write. */
    public static Reply json(Object value) {
        return of(200, new Content.Json(value));
    }

    /** {@code {"message": …}}, OpenPAI's way of saying that something was done. */
    public static Reply message(int status, String message) {
        return of(status, new Content.Json(Map.of("message", message)));
    }

    public static Reply text(String text) {
        return bytes("text/plain; charset=utf-8", Buffer.buffer(text));
    }

    public static Reply bytes(String type, Buffer bytes) {
        return of(200, new Content.Bytes(type, bytes));
    }

    /** A page by its jte template, which takes {@code View view} and {@code page}. */
    public static Reply page(String template, Object page) {
        return of(200, new Content.Page(template, page));
    }

    /** After a change: look at {@code path} of this portal. */
    public static Reply seeOther(String path) {
        return of(303, new Content.Nothing()).header("Location", path);
    }

    public static Reply nothing() {
        return of(204, new Content.Nothing());
    }

    /** Turns the request into a WebSocket; it is closed when its caller is no longer admitted. */
    public static Reply socket(Consumer<ServerWebSocket> opened) {
        return of(101, new Content.Socket((socket, channel) -> opened.accept(socket)));
    }

    /** The same for a room that writes frames to the channel itself, made once for many sockets. */
    public static Reply socket(BiConsumer<ServerWebSocket, Channel> opened) {
        return of(101, new Content.Socket(opened));
    }

    /**
     * An answer that its room writes and ends itself, piece by piece, under the headers given here. It counts among its caller's open streams, and is
     * broken off when its caller is no longer admitted. A HEAD gets the headers only.
     */
    public static Reply stream(Function<HttpServerResponse, Future<Void>> written) {
        return of(200, new Content.Stream(written, false));
    }

    /** The same, where nothing may come for long and the connection stays. */
    public static Reply quietStream(Function<HttpServerResponse, Future<Void>> written) {
        return of(200, new Content.Stream(written, true));
    }

    private static Reply of(int status, Content content) {
        return new Reply(status, content, Map.of(), List.of());
    }

    /** A page, which takes the note that it shows off the table. */
    public static Reply page(Call call, String template, Object page) {
        Reply reply = page(template, page);
        return call.cookie(Call.NOTE_COOKIE).isPresent()
                ? reply.cookie(Call.noteCookie(call.secure(), "", Duration.ZERO))
                : reply;
    }

    /** A word on the page that follows; said once. The values are texts and whole numbers. */
    public Reply noting(Call call, View.Note note) {
        return cookie(Call.noteCookie(call.secure(), Call.written(note), Duration.ofMinutes(1)));
    }

    public int status() {
        return status;
    }

    public Reply status(int status) {
        return new Reply(status, content, headers, cookies);
    }

    public Reply header(String name, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Reply(status, content, more, cookies);
    }

    public Reply cookie(Cookie cookie) {
        var more = new ArrayList<>(cookies);
        more.add(cookie);
        return new Reply(status, content, headers, more);
    }

    public Reply cookies(List<Cookie> more) {
        Reply reply = this;
        for (Cookie cookie : more) {
            reply = reply.cookie(cookie);
        }
        return reply;
    }

    /** A page that may ask at these addresses too, and nowhere beneath them. */
    public Reply connecting(List<String> addresses) {
        return addresses.isEmpty() ? this : header(Guards.CONNECTS, String.join(" ", addresses));
    }

    @Nullable
    String header(String name) {
        return headers.get(name);
    }
}
