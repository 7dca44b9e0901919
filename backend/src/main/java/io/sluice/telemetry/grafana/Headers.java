package io.sluice.telemetry.grafana;

import io.sluice.web.Call;
import io.sluice.web.Caller;
import io.vertx.core.MultiMap;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What goes along with a request and with its answer. Both are lists of what may pass, so that no spelling of anything else does: not of who somebody
 * is, not of where they come from, and no cookie in either direction.
 */
final class Headers {
    private static final List<String> TO_GRAFANA = List.of(
            "Accept",
            "Accept-Encoding",
            "Accept-Language",
            "Content-Type",
            "If-Modified-Since",
            "If-None-Match",
            "User-Agent",
            "X-Dashboard-Uid",
            "X-Datasource-Uid",
            "X-Grafana-Org-Id",
            "X-Panel-Id",
            "X-Panel-Plugin-Id",
            "X-Plugin-Id",
            "X-Query-Group-Id");
    private static final List<String> TO_BROWSER = List.of(
            "Content-Disposition",
            "Content-Encoding",
            "Content-Language",
            "ETag",
            "Last-Modified",
            "Retry-After",
            "Vary");
    /** Its own files, whose names change with what is in them. */
    private static final String FILES = Grafana.PATH + "public/";

    private static final String POLICY =
            "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; worker-src 'self' blob:;"
                    + " style-src 'self' 'unsafe-inline' blob:; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self';"
                    + " object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'";

    private Headers() {}

    static void toGrafana(Call call, MultiMap headers) {
        for (String name : TO_GRAFANA) {
            call.header(name).ifPresent(value -> headers.set(name, value));
        }
        Caller caller = call.caller();
        headers.set("X-WEBAUTH-USER", caller.name())
                .set("X-WEBAUTH-NAME", caller.name())
                .set("X-WEBAUTH-ROLE", caller.admin() ? "Editor" : "Viewer");
    }

    static Map<String, String> toBrowser(MultiMap answer, String path) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : TO_BROWSER) {
            String value = answer.get(name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        String kept = answer.get("Cache-Control");
        if (path.startsWith(FILES) && kept != null) {
            headers.put("Cache-Control", kept);
        }
        String location = answer.get("Location");
        if (location != null) {
            headers.put("Location", inside(location));
        }
        headers.put("Content-Security-Policy", POLICY);
        headers.put("X-Frame-Options", "SAMEORIGIN");
        return headers;
    }

    /** Grafana leads to its own pages only. */
    static String inside(String location) {
        try {
            URI to = new URI(location);
            String path = to.normalize().getRawPath();
            if (path != null && path.startsWith(Grafana.PATH)) {
                return to.getRawQuery() == null ? path : path + "?" + to.getRawQuery();
            }
        } catch (java.net.URISyntaxException e) {
            return Grafana.PATH;
        }
        return Grafana.PATH;
    }
}
