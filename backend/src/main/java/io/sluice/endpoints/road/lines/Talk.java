package io.sluice.endpoints.road.lines;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;

/** One question to an app, as its line tells of it: on the line's event loop, and after {@link #ended} or {@link #broken} no more. */
public interface Talk {
    /** Whether it still wants a line, once its turn has come. */
    boolean isWanted();

    /** The browser's connection from which it comes. */
    Object origin();

    /** Ask now. */
    void connected(Line line);

    /** The head of the answer, of which everything but a new protocol's beginning can be told in HTTP. */
    void answered(HttpResponse head);

    /** Some of the body. Whoever is told owns the bytes. */
    void heard(ByteBuf bytes);

    /** What had come is read: what follows comes later. */
    void quiet();

    /** The answer is whole. */
    void ended();

    /** There is room again for what is sent. */
    void drained();

    /** There is no line, or there will be no more of the answer. */
    void broken(Throwable cause);
}
