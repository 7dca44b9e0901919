package io.sluice;

import io.sluice.identity.Crowd;
import io.sluice.identity.Crowd.Person;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;

/** Somebody at the file centre of a gateway. */
final class FileDesk {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;
    private final Path data;
    final Person person;
    final String bearer;

    FileDesk(TestServer server, Crowd crowd, Path data, String name) {
        this(server, crowd, data, crowd.person(name, false));
    }

    FileDesk(TestServer server, Crowd crowd, Path data, Person person) {
        this.address = server.address();
        this.data = data;
        this.person = person;
        this.bearer = crowd.bearer(person);
    }

    Path home() {
        return data.resolve("homes").resolve(person.name());
    }

    static String coded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    String files(String rest) {
        return "/api/v2/files/" + person.name() + rest;
    }

    HttpResponse<byte[]> send(String method, String path, BodyPublisher body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(address + path))
                .method(method, body)
                .header("Authorization", "Bearer " + bearer);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(method + " " + path, e);
        }
    }

    HttpResponse<byte[]> get(String path, String... headers) {
        return send("GET", path, BodyPublishers.noBody(), headers);
    }

    HttpResponse<byte[]> post(String path) {
        return send("POST", path, BodyPublishers.noBody());
    }

    HttpResponse<byte[]> delete(String path) {
        return send("DELETE", path, BodyPublishers.noBody());
    }

    HttpResponse<byte[]> put(String path, String text, String... headers) {
        return send("PUT", path, BodyPublishers.ofString(text), headers);
    }

    static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    HttpResponse<byte[]> begin(String path, long length, boolean replace) {
        String metadata = "path " + Base64.getEncoder().encodeToString(path.getBytes(StandardCharsets.UTF_8))
                + (replace ? ",replace dHJ1ZQ==" : "");
        return send(
                "POST",
                "/api/v2/uploads",
                BodyPublishers.noBody(),
                "Tus-Resumable",
                "1.0.0",
                "Upload-Length",
                "" + length,
                "Upload-Metadata",
                metadata);
    }

    /** The address of an upload that has begun. */
    String upload(String path, long length, boolean replace) {
        var begun = begin(path, length, replace);
        if (begun.statusCode() != 201) {
            throw new AssertionError(begun.statusCode() + " " + text(begun));
        }
        return begun.headers().firstValue("Location").orElseThrow();
    }

    HttpResponse<byte[]> piece(String upload, long offset, byte[] bytes, String... headers) {
        String[] all = new String[headers.length + 6];
        System.arraycopy(headers, 0, all, 6, headers.length);
        all[0] = "Tus-Resumable";
        all[1] = "1.0.0";
        all[2] = "Upload-Offset";
        all[3] = "" + offset;
        all[4] = "Content-Type";
        all[5] = "application/offset+octet-stream";
        return send("PATCH", upload, BodyPublishers.ofByteArray(bytes), all);
    }

    long offset(String upload) {
        var head = send("HEAD", upload, BodyPublishers.noBody(), "Tus-Resumable", "1.0.0");
        return head.statusCode() == 200
                ? head.headers().firstValueAsLong("Upload-Offset").orElseThrow()
                : -head.statusCode();
    }
}
