package io.sluice.endpoints.road;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Set;

/** What a request must be like before anybody asks whose it is. */
final class Scrutiny {
    private static final Set<HttpMethod> SAFE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
    private static final Set<HttpMethod> NEVER = Set.of(HttpMethod.CONNECT, HttpMethod.TRACE);

    private Scrutiny() {}

    /** One way to read it, and one only: what two readers could understand differently is nobody's. */
    static boolean isReadable(HttpServerRequest request) {
        List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
        return !NEVER.contains(request.method())
                && Paths.isPlain(request.uri())
                && request.headers().getAll(HttpHeaders.HOST).size() <= 1
                && Headers.arePlain(request.headers())
                && (codings.isEmpty()
                        || (codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked")));
    }

    /**
     * Whether a page of somebody else's asks. Browsers say so themselves; what they do not say of (a WebSocket of an old
     * browser, a form) they show an origin with.
     */
    static boolean isForeign(HttpServerRequest request, String own) {
        boolean upgrade = isUpgrade(request);
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin != null) {
            return !origin.equals(own) && (upgrade || !SAFE.contains(request.method()) || !isVisit(request));
        }
        if (upgrade) {
            return true;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        return site != null && !site.equals("same-origin") && !site.equals("none") && !isVisit(request);
    }

    /** Pages of nobody's ask as nobody; who says a name is the portal or another site. */
    static boolean isNamed(HttpServerRequest request) {
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return origin == null ? isUpgrade(request) : !origin.equals("null");
    }

    /** Somebody follows a link to a page. */
    private static boolean isVisit(HttpServerRequest request) {
        return "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
                && "document".equals(request.getHeader("Sec-Fetch-Dest"))
                && (HttpMethod.GET.equals(request.method()) || HttpMethod.HEAD.equals(request.method()));
    }

    static boolean isUpgrade(HttpServerRequest request) {
        return request.headers().contains(HttpHeaders.UPGRADE)
                && Headers.named(request.headers()).contains("upgrade");
    }
}
