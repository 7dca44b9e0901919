package io.sluice.endpoints.road;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;

/** Of an app's answer what is not just handed on: cookies, redirects, and how long it is. */
final class Answers {
    private Answers() {}

    static void finish(
            MultiMap said,
            int status,
            HttpServerResponse response,
            HttpServerRequest request,
            Headers.Asker asker,
            App app) {
        cookies(said, response, asker);
        String location = said.get(HttpHeaders.LOCATION);
        if (location != null) {
            String redirect = Paths.redirect(location, asker, app);
            if (redirect != null) {
                response.headers().set(HttpHeaders.LOCATION, redirect);
            }
        }
        if (request.version() == HttpVersion.HTTP_2 && !response.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
            // named, it is not compressed once more
            response.headers().set(HttpHeaders.CONTENT_ENCODING, HttpHeaders.IDENTITY);
        }
        if (!response.headers().contains(HttpHeaders.CONTENT_LENGTH)
                && status != 204
                && status != 304
                && request.version() != HttpVersion.HTTP_2) {
            response.setChunked(true);
        }
    }

    static void cookies(MultiMap said, HttpServerResponse response, Headers.Asker asker) {
        if (asker.isNobody()) {
            return; // they would be the portal's
        }
        int count = 0;
        int bytes = 0;
        for (String line : said.getAll(HttpHeaders.SET_COOKIE)) {
            String cookie = Cookies.toBrowser(line, asker.secure(), asker.space());
            if (cookie != null) {
                count++;
                bytes += cookie.length();
                if (Cookies.isWithinLimits(count, bytes)) {
                    response.headers().add(HttpHeaders.SET_COOKIE, cookie);
                }
            }
        }
    }
}
