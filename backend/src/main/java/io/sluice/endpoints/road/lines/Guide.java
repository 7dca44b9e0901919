package io.sluice.endpoints.road.lines;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** Tells the short way of one browser's connection who may go it, and what is said there. On the connection's event loop. */
public interface Guide {
    /**
     * Writes what an app is asked.
     *
     * @return where it is; null: this has to go the long way
     */
    @Nullable
    Lines ask(HttpRequest request, Text text);

    /**
     * Somebody goes it, until {@link #over}.
     *
     * @param cut who may not any more
     * @param gone tells that there is no such app any more
     */
    void begun(Runnable cut, Runnable gone);

    /**
     * Writes the head of an answer, without its end.
     *
     * @return whether it says itself how long its body is
     * @throws IllegalArgumentException nobody can be told that
     */
    boolean answer(HttpResponse head, int status, Text text);

    void over(Runnable cut, Runnable gone);
}
