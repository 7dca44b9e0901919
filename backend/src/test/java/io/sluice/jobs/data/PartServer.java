package io.sluice.jobs.data;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.StoreAddress;
import io.sluice.files.stores.Stores;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A store that tells which parts it has, and keeps of what comes the digests only. Somebody else's upload is under way to every object. */
public final class PartServer implements AutoCloseable {
    public static final String THEIRS = "theirs";
    private static final String NO_UPLOAD = "<Error><Code>NoSuchUpload</Code><Message>no such upload</Message></Error>";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Of each upload, the digests of its parts. */
    private final Map<String, Map<Integer, String>> uploads = new ConcurrentHashMap<>();

    private final Map<String, Integer> received = new ConcurrentHashMap<>();
    private final Set<String> finished = ConcurrentHashMap.newKeySet();
    private final Set<String> aborted = ConcurrentHashMap.newKeySet();
    private final AtomicInteger begun = new AtomicInteger();
    private volatile Predicate<String> refuses = request -> false;
    private volatile int refusal = 503;

    private record Answer(int status, String body, String etag) {}

    public PartServer() {
        uploads.put(THEIRS, new ConcurrentHashMap<>());
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    public Stores stores() {
        return new Stores(List.of(new StoreAddress(
                "near", URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false, "us-east-1")));
    }

    /** Requests, as {@code PUT partNumber=2&uploadId=own-1}, that are answered with that status. */
    public void refuse(int status, Predicate<String> requests) {
        refusal = status;
        refuses = requests;
    }

    /** How often each part came, as {@code own-1/2}. */
    public Map<String, Integer> received() {
        return Map.copyOf(received);
    }

    public Set<String> finished() {
        return Set.copyOf(finished);
    }

    public Set<String> aborted() {
        return Set.copyOf(aborted);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        var digest = md5();
        try (InputStream body = new DigestInputStream(exchange.getRequestBody(), digest)) {
            body.transferTo(OutputStream.nullOutputStream());
        }
        Answer answer = refuses.test(exchange.getRequestMethod() + " " + query)
                ? new Answer(refusal, "<Error><Code>Refused</Code></Error>", "")
                : answer(exchange, query, HexFormat.of().formatHex(digest.digest()));
        byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("ETag", '"' + answer.etag() + '"');
        exchange.getResponseHeaders().add("Content-Type", "application/xml");
        exchange.sendResponseHeaders(answer.status(), text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private Answer answer(HttpExchange exchange, String query, String digest) {
        String key = exchange.getRequestURI().getPath().replaceFirst("/lab/?", "");
        if (query.contains("list-type=2")) {
            return told("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
        }
        if (query.startsWith("uploads")) {
            return exchange.getRequestMethod().equals("POST") ? begin(key) : listed(key);
        }
        String upload = query.replaceFirst(".*uploadId=([^&]*).*", "$1");
        var parts = uploads.get(upload);
        if (parts == null) {
            return new Answer(404, NO_UPLOAD, "");
        }
        return switch (exchange.getRequestMethod()) {
            case "PUT" ->
                part(upload, parts, Integer.parseInt(query.replaceFirst(".*partNumber=(\\d+).*", "$1")), digest);
            case "GET" -> parts(new TreeMap<>(parts));
            case "POST" -> finish(upload, new TreeMap<>(parts));
            default -> abort(upload);
        };
    }

    private static Answer told(String body) {
        return new Answer(200, "<?xml version=\"1.0\"?>" + body, "");
    }

    private Answer begin(String key) {
        String upload = "own-" + begun.incrementAndGet();
        uploads.put(upload, new ConcurrentHashMap<>());
        return told("<InitiateMultipartUploadResult><Key>" + key + "</Key><UploadId>" + upload
                + "</UploadId></InitiateMultipartUploadResult>");
    }

    private static Answer listed(String key) {
        return told("<ListMultipartUploadsResult><Upload><Key>" + key + "</Key><UploadId>" + THEIRS
                + "</UploadId><Initiated>2099-01-01T00:00:00.000Z</Initiated></Upload></ListMultipartUploadsResult>");
    }

    private Answer part(String upload, Map<Integer, String> parts, int number, String digest) {
        parts.put(number, digest);
        received.merge(upload + "/" + number, 1, Integer::sum);
        return new Answer(200, "", digest);
    }

    private static Answer parts(Map<Integer, String> parts) {
        return told(parts.entrySet().stream()
                .map(part -> "<Part><PartNumber>" + part.getKey() + "</PartNumber><ETag>&quot;" + part.getValue()
                        + "&quot;</ETag></Part>")
                .collect(Collectors.joining(
                        "", "<ListPartsResult><IsTruncated>false</IsTruncated>", "</ListPartsResult>")));
    }

    private Answer finish(String upload, Map<Integer, String> parts) {
        var all = md5();
        parts.values().forEach(part -> all.update(HexFormat.of().parseHex(part)));
        uploads.remove(upload);
        finished.add(upload);
        return told(
                "<CompleteMultipartUploadResult><ETag>&quot;" + HexFormat.of().formatHex(all.digest()) + "-"
                        + parts.size() + "&quot;</ETag></CompleteMultipartUploadResult>");
    }

    private Answer abort(String upload) {
        uploads.remove(upload);
        aborted.add(upload);
        return new Answer(204, "", "");
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
