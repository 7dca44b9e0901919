package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.identity.Crowd;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Uploads and files where a gateway is killed, a line is cut, a disk is full, and two want the same. */
@Timeout(120)
class UploadFaultsIT {
    private static final int SIZE = 3_000_003;
    private static final int AT_ONCE = 8;

    @TempDir
    private Path data;

    private static byte[] random(int seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** A line that sends a piece, as far as the test says. */
    private static Socket line(String address, String bearer, String upload, long offset, int length)
            throws IOException {
        URI at = URI.create(address);
        var socket = new Socket(at.getHost(), at.getPort());
        String head = "PATCH " + upload + " HTTP/1.1\r\nHost: " + at.getAuthority() + "\r\nAuthorization: Bearer "
                + bearer + "\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: " + offset
                + "\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: " + length + "\r\n\r\n";
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    private static HttpResponse<String> tus(Household gateway, String method, String path, byte[] body, String... more)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create(gateway.address() + path))
                .method(method, BodyPublishers.ofByteArray(body))
                .header("Authorization", "Bearer " + gateway.token())
                .header("Tus-Resumable", "1.0.0");
        for (int i = 0; i < more.length; i += 2) {
            request.header(more[i], more[i + 1]);
        }
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request.build(), BodyHandlers.ofString());
        }
    }

    private static String begin(Household gateway, String name) throws Exception {
        var begun = tus(
                gateway,
                "POST",
                "/api/v2/uploads",
                new byte[0],
                "Upload-Length",
                "" + SIZE,
                "Upload-Metadata",
                "replace dHJ1ZQ==,path " + Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8)));
        assertThat(begun.statusCode()).isEqualTo(201);
        return begun.headers().firstValue("Location").orElseThrow();
    }

    /** Cut at each of these; the last ones have come as a whole, and are in the middle of going to their place. */
    @Test
    void whatever_a_killed_gateway_was_taking_goes_on_and_no_file_is_ever_half_of_one() throws Exception {
        List<Integer> cuts = List.of(0, 1, SIZE / 2, (int) (SIZE * 0.999), SIZE, SIZE, SIZE);
        try (var gateway = new Household(data)) {
            gateway.start("");
            Map<String, Integer> uploads = new LinkedHashMap<>();
            List<Socket> lines = new ArrayList<>();
            for (int i = 0; i < cuts.size(); i++) {
                assertThat(tus(
                                        gateway,
                                        "PUT",
                                        "/api/v2/files/admin/content?path=f" + i,
                                        "old".getBytes(StandardCharsets.US_ASCII))
                                .statusCode())
                        .isEqualTo(200);
                uploads.put(begin(gateway, "f" + i), cuts.get(i));
            }
            int sending = 0;
            for (var upload : uploads.entrySet()) {
                Socket line = line(gateway.address(), gateway.token(), upload.getKey(), 0, SIZE);
                lines.add(line);
                line.getOutputStream().write(random(sending++, SIZE), 0, upload.getValue());
                line.getOutputStream().flush();
            }
            Path taken = gateway.home().resolve(".sluice/uploads");
            String half = uploads.keySet().stream().skip(2).findFirst().orElseThrow();
            Path arriving =
                    taken.resolve(half.substring(half.lastIndexOf('/') + 1)).resolve("data");
            Household.eventually(() -> Files.size(arriving) > 0);
            gateway.kill();
            for (Socket line : lines) {
                line.close();
            }
            for (int i = 0; i < cuts.size(); i++) {
                byte[] found = Files.readAllBytes(gateway.home().resolve("f" + i));
                assertThat(Arrays.equals(found, "old".getBytes(StandardCharsets.US_ASCII))
                                || Arrays.equals(found, random(i, SIZE)))
                        .as("f" + i + " is old or new, and has " + found.length + " bytes")
                        .isTrue();
            }

            gateway.start("");
            gateway.signInAgain();

            int i = 0;
            for (var upload : uploads.entrySet()) {
                var head = tus(gateway, "HEAD", upload.getKey(), new byte[0]);
                assertThat(head.statusCode()).as("f" + i).isEqualTo(200);
                int offset = Integer.parseInt(
                        head.headers().firstValue("Upload-Offset").orElseThrow());
                assertThat(offset).isBetween(0, upload.getValue());
                byte[] whole = random(i, SIZE);
                Path file = gateway.home().resolve("f" + i);
                if (offset == SIZE) {
                    assertThat(file).as("it is told as whole").hasBinaryContent(whole);
                }
                var rest = tus(
                        gateway,
                        "PATCH",
                        upload.getKey(),
                        Arrays.copyOfRange(whole, offset, SIZE),
                        "Upload-Offset",
                        "" + offset,
                        "Content-Type",
                        "application/offset+octet-stream");
                assertThat(rest.statusCode()).isEqualTo(204);
                assertThat(file).hasBinaryContent(whole);
                i++;
            }
            try (var left = Files.list(taken)) {
                assertThat(left).isEmpty();
            }
        }
    }

    private static String uploading(FileDesk desk) {
        return FileDesk.text(desk.get("/metrics"))
                .lines()
                .filter(line -> line.startsWith("sluice_files_uploading"))
                .findFirst()
                .orElse("none");
    }

    @Test
    void lines_that_are_cut_anywhere_leave_nothing_behind_that_keeps_others_from_sending() throws Exception {
        try (var server = new TestServer(data);
                var crowd = new Crowd(server.vertx(), server.database(), server.address())) {
            var ada = new FileDesk(server, crowd, data, "ada");
            for (int cut : new int[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, SIZE / 2, (int) (SIZE * 0.999)}) {
                String upload = ada.upload("cut" + cut, SIZE, true);
                try (Socket line = line(server.address(), ada.bearer, upload, 0, SIZE)) {
                    line.getOutputStream().write(random(1, SIZE), 0, cut);
                    line.getOutputStream().flush();
                }
            }
            Household.eventually(
                    Duration.ofSeconds(20),
                    () -> uploading(ada).endsWith(" 0.0"),
                    () -> uploading(ada) + " lines are still held");

            String upload = ada.upload("after", SIZE, false);
            try (Socket line = line(server.address(), ada.bearer, upload, 0, SIZE)) {
                line.getOutputStream().write(random(2, SIZE));
                line.getOutputStream().flush();
            }
            Household.eventually(
                    Duration.ofSeconds(20),
                    () -> uploading(ada).endsWith(" 0.0"),
                    () -> uploading(ada) + " lines are still held");
            int there = Math.toIntExact(ada.offset(upload));
            assertThat(ada.piece(upload, there, Arrays.copyOfRange(random(2, SIZE), there, SIZE))
                            .statusCode())
                    .as("what was lost with its line comes once more")
                    .isEqualTo(204);
            assertThat(ada.home().resolve("after")).hasBinaryContent(random(2, SIZE));
            assertThat(ada.piece(upload, SIZE, new byte[0]).statusCode())
                    .as("whoever missed the answer sends nothing more")
                    .isEqualTo(204);
        }
    }

    @Test
    void a_full_disk_is_told_keeps_what_was_there_and_can_be_emptied() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting takes root");
        // all that a gateway keeps is on it, so that nothing is mounted beneath its folder
        Path disk = Files.createDirectory(data.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk.toString()) == 0, "mounting is allowed");
        try (var server = new TestServer(disk);
                var crowd = new Crowd(server.vertx(), server.database(), server.address())) {
            var ada = new FileDesk(server, crowd, disk, "ada");
            Path home = ada.home();
            assertThat(ada.put(ada.files("/content?path=notes"), "old").statusCode())
                    .isEqualTo(200);
            assertThat(ada.begin("too large", 100 << 20, false).statusCode()).isEqualTo(507);
            String upload = ada.upload("model", SIZE, false);
            byte[] bytes = random(3, SIZE);
            assertThat(ada.piece(upload, 0, Arrays.copyOf(bytes, 1_000_000)).statusCode())
                    .isEqualTo(204);
            for (String name : List.of("filler", "other")) {
                assertThat(ada.put(ada.files("/content?path=" + name), "").statusCode())
                        .isEqualTo(200);
            }
            fill(home.resolve("filler"));

            assertThat(ada.piece(upload, 1_000_000, Arrays.copyOfRange(bytes, 1_000_000, SIZE))
                            .statusCode())
                    .isEqualTo(507);
            int kept = (int) ada.offset(upload);
            assertThat(kept).isBetween(1_000_000, SIZE - 1);
            assertThat(ada.put(ada.files("/content?path=notes"), "n".repeat(500_000))
                            .statusCode())
                    .isEqualTo(507);
            assertThat(home.resolve("notes")).hasContent("old");
            assertThat(ada.post(ada.files("/copy?path=filler&to=twice")).statusCode())
                    .isEqualTo(507);
            assertThat(home.resolve("twice")).doesNotExist();
            assertThat(ada.get(ada.files("")).statusCode()).isEqualTo(200);
            assertThat(home.resolve(".sluice/temporary")).isEmptyDirectory();

            assertThat(ada.delete(ada.files("?path=filler")).statusCode()).isEqualTo(507);
            assertThat(home.resolve("filler")).exists();
            assertThat(ada.delete(ada.files("?path=filler&forever=1")).statusCode())
                    .isEqualTo(204);

            assertThat(ada.piece(upload, kept, Arrays.copyOfRange(bytes, kept, SIZE))
                            .statusCode())
                    .isEqualTo(204);
            assertThat(home.resolve("model")).hasBinaryContent(bytes);
            assertThat(ada.delete(ada.files("?path=model")).statusCode()).isEqualTo(204);
            fill(home.resolve("other"));
            String id = FileDesk.text(ada.get(ada.files("/bin"))).replaceAll("(?s).*\"id\":\"([0-9a-f]{28})\".*", "$1");
            assertThat(ada.delete(ada.files("/bin/" + id)).statusCode()).isEqualTo(204);
            assertThat(home.toFile().getUsableSpace()).isGreaterThan(SIZE - 100_000L);
        } finally {
            run("umount", "-l", disk.toString());
        }
    }

    private static void fill(Path file) {
        byte[] some = new byte[4_096];
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(some);
            }
        } catch (IOException full) {
            assertThat(full.getMessage()).isNotEmpty();
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** What each is answered, of those who begin at the same moment. */
    private static List<Integer> together(Call call) throws Exception {
        var barrier = new CyclicBarrier(AT_ONCE);
        List<Callable<Integer>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            int who = i;
            all.add(() -> {
                barrier.await();
                return call.by(who).statusCode();
            });
        }
        try (var threads = Executors.newFixedThreadPool(AT_ONCE)) {
            List<Integer> answers = new ArrayList<>();
            for (var answer : threads.invokeAll(all)) {
                answers.add(answer.get());
            }
            return answers;
        }
    }

    /** Of one of those who do the same. */
    private interface Call {
        HttpResponse<byte[]> by(int who);
    }

    @Test
    void of_all_who_want_a_name_at_once_one_gets_it_and_no_file_is_a_mix() throws Exception {
        try (var server = new TestServer(data);
                var crowd = new Crowd(server.vertx(), server.database(), server.address())) {
            var ada = new FileDesk(server, crowd, data, "ada");
            List<byte[]> contents = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                contents.add(random(i, 300_000));
            }
            for (boolean replaces : new boolean[] {false, true}) {
                String name = replaces ? "replaced" : "taken";
                List<String> uploads = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    uploads.add(ada.upload(name, 300_000, replaces));
                }
                List<Integer> answers = together(who -> ada.piece(uploads.get(who), 0, contents.get(who)));
                long got = answers.stream().filter(status -> status == 204).count();
                assertThat(got).as(answers.toString()).isEqualTo(replaces ? AT_ONCE : 1);
                assertThat(answers).containsOnly(replaces ? new Integer[] {204} : new Integer[] {204, 409});
                byte[] found = Files.readAllBytes(ada.home().resolve(name));
                assertThat(contents.stream().anyMatch(content -> Arrays.equals(content, found)))
                        .isTrue();
            }
            // one upload by many lines: whoever comes later ends the one before
            String one = ada.upload("one", 300_000, false);
            assertThat(together(who -> ada.piece(one, 0, contents.getFirst()))).isSubsetOf(204, 409);
            int kept = (int) ada.offset(one);
            assertThat(ada.piece(one, kept, Arrays.copyOfRange(contents.getFirst(), kept, 300_000))
                            .statusCode())
                    .isEqualTo(204);
            assertThat(ada.home().resolve("one")).hasBinaryContent(contents.getFirst());

            String path = ada.files("/content?path=edited");
            for (int round = 0; round < 20; round++) {
                ada.put(path, "round " + round);
                String etag = ada.get(path).headers().firstValue("ETag").orElseThrow();
                List<Integer> answers = together(who -> ada.put(path, "by " + who, "If-Match", etag));
                assertThat(answers.stream().filter(status -> status == 200))
                        .as(answers.toString())
                        .hasSize(1);
                assertThat(answers).containsOnly(200, 412);
                assertThat(ada.home().resolve("edited")).hasContent("by " + answers.indexOf(200));
            }
        }
    }
}
