package io.sluice.web;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * One row of the route table: what may be asked, by whom. Rooms hand over lists of these; the edge checks, then calls.
 *
 * @param path in vertx-web's notation, {@code /api/v2/users/:name}; paths under {@code /api/} answer under {@code /rest-server/api/} too
 * @param scope what a limited token must hold; null where no limited token may come
 * @param applications whether a program's token may come at all
 * @param bodyLimit bytes that are read of a body before the request is refused
 * @param subprotocol that its WebSocket speaks; null where it has none of its own
 * @param streams whether it reads the body itself, piece by piece, in its own time
 */
public record Route(
        HttpMethod method,
        String path,
        Access access,
        @Nullable String scope,
        boolean applications,
        int bodyLimit,
        @Nullable String subprotocol,
        boolean streams,
        Handling handling) {
    static final int BODY_LIMIT = 1 << 20;

    /** Who may come. What only an owner may do is decided where the thing is looked up. */
    public enum Access {
        ANYONE,
        SIGNED_IN,
        ADMIN
    }

    /** Answers a request that has passed every check of its row. */
    @FunctionalInterface
    public interface Handling {
        Future<Reply> handle(Call call);
    }

    public static Route get(String path, Handling handling) {
        return of(HttpMethod.GET, path, handling);
    }

    public static Route post(String path, Handling handling) {
        return of(HttpMethod.POST, path, handling);
    }

    public static Route put(String path, Handling handling) {
        return of(HttpMethod.PUT, path, handling);
    }

    public static Route delete(String path, Handling handling) {
        return of(HttpMethod.DELETE, path, handling);
    }

    /** Signed in and with every right of the user, until said otherwise. */
    public static Route of(HttpMethod method, String path, Handling handling) {
        return new Route(method, path, Access.SIGNED_IN, null, true, BODY_LIMIT, null, false, handling);
    }

    public Route forAnyone() {
        return new Route(method, path, Access.ANYONE, scope, applications, bodyLimit, subprotocol, streams, handling);
    }

    public Route forAdmins() {
        return new Route(method, path, Access.ADMIN, scope, applications, bodyLimit, subprotocol, streams, handling);
    }

    public Route scope(String scope) {
        return new Route(method, path, access, scope, applications, bodyLimit, subprotocol, streams, handling);
    }

    public Route withoutApplications() {
        return new Route(method, path, access, scope, false, bodyLimit, subprotocol, streams, handling);
    }

    public Route bodyLimit(int bytes) {
        return new Route(method, path, access, scope, applications, bytes, subprotocol, streams, handling);
    }

    public Route speaks(String subprotocol) {
        return new Route(method, path, access, scope, applications, bodyLimit, subprotocol, streams, handling);
    }

    /** Its body may be of any length, and comes for as long as the line does not fall silent. */
    public Route streaming() {
        return new Route(method, path, access, scope, applications, bodyLimit, subprotocol, true, handling);
    }

    boolean isApi() {
        return path.startsWith("/api/");
    }

    @Override
    public String toString() {
        return method + " " + path;
    }
}
