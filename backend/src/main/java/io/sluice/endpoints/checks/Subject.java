package io.sluice.endpoints.checks;

import io.vertx.core.Future;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is checked, and how it is come to.
 *
 * @param run what the engine calls its task
 * @param place where in the task it listens; empty: nowhere
 * @param headers that the app gets from the gateway
 * @param page at which people begin
 * @param socket of the app's WebSockets one; null: none is known
 * @param name that has to lead somewhere; null: browsers know it themselves
 * @param ticket an address that lets in, as browsers are given it
 * @param listener on which the gateway was asked, and {@code tls} whether that speaks TLS
 * @param ownPort whether the endpoint has a port of its own beside it
 */
public record Subject(
        String id,
        String run,
        int port,
        Supplier<Future<Optional<SocketAddress>>> place,
        Map<String, String> headers,
        String page,
        @Nullable String socket,
        @Nullable String name,
        Supplier<Future<String>> ticket,
        SocketAddress listener,
        boolean tls,
        boolean ownPort) {}
