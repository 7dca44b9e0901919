package io.sluice.jobs.data;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.StoreAddress;
import io.sluice.files.stores.Stores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** A store that lists what no honest one keeps; each object of it is one byte. */
public final class HostileListing implements AutoCloseable {
    private static final String ETAG = "9dd4e461268c8034f5c8564e155c67a6"; // of an x

    private final HttpServer server;
    private final List<String> keys;

    public HostileListing(List<String> keys) {
        this.keys = keys;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.start();
    }

    public Stores stores() {
        return new Stores(List.of(new StoreAddress(
                "near", URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false, "us-east-1")));
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        boolean lists = query != null && query.contains("list-type=2");
        byte[] body = (lists ? listing() : "x").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("ETag", '"' + ETAG + '"');
        exchange.getResponseHeaders().add("Content-Type", lists ? "application/xml" : "application/octet-stream");
        exchange.sendResponseHeaders(200, body.length);
        try (var out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private String listing() {
        return keys.stream()
                .map(key -> "<Contents><Key>" + URLEncoder.encode(key, StandardCharsets.UTF_8)
                        + "</Key><Size>1</Size><ETag>&quot;" + ETAG
                        + "&quot;</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>")
                .collect(Collectors.joining(
                        "",
                        "<?xml version=\"1.0\"?><ListBucketResult><EncodingType>url</EncodingType>"
                                + "<IsTruncated>false</IsTruncated>",
                        "</ListBucketResult>"));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
