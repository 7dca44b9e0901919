package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What uploads survive: a gateway that is killed in the middle of them. {@code -Dsluice.file.kills=50} is the soak. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FileFaultsIT {
    private static final int KILLS = Integer.getInteger("sluice.file.kills", 1);
    private static final int SIZE = 4 << 20;
    private static final byte[] OLD = "what was there before\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
    /** Nothing, a byte, half, nearly all, all: of the last it is not known whether the gateway has told before it died. */
    private static final List<Integer> SENT = List.of(0, 1, SIZE / 2, SIZE - SIZE / 1000, SIZE);

    @TempDir
    private Path folder;

    /** An upload that takes the place of a file, over a line of its own. */
    private static final class Line implements AutoCloseable {
        private final Household house;
        private final String name;
        private final byte[] content = new byte[SIZE];
        private final String upload;
        private final Socket socket;

        Line(Household house, String name, int seed) throws IOException {
            this.house = house;
            this.name = name;
            new Random(seed).nextBytes(content);
            var begun = house.send(tus(house, "/api/v2/uploads")
                    .header("Upload-Length", "" + SIZE)
                    .header(
                            "Upload-Metadata",
                            "replace dHJ1ZQ==,path "
                                    + Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8)))
                    .POST(BodyPublishers.noBody()));
            assertThat(begun.statusCode()).as(begun.body()).isEqualTo(201);
            this.upload = begun.headers().firstValue("Location").orElseThrow();
            URI address = URI.create(house.address());
            this.socket = new Socket(address.getHost(), address.getPort());
        }

        static HttpRequest.Builder tus(Household house, String path) {
            return house.to(path).header("Tus-Resumable", "1.0.0");
        }

        void send(int count) {
            String head = "PATCH " + upload + " HTTP/1.1\r\nHost: "
                    + URI.create(house.address()).getAuthority()
                    + "\r\nAuthorization: Bearer " + house.token() + "\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0"
                    + "\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: " + SIZE + "\r\n\r\n";
            try {
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().write(content, 0, count);
                socket.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        long offset() throws IOException {
            var head = house.send(tus(house, upload).method("HEAD", BodyPublishers.noBody()));
            assertThat(head.statusCode()).as(name).isEqualTo(200);
            return head.headers().firstValueAsLong("Upload-Offset").orElseThrow();
        }

        HttpResponse<String> goOn(long offset) throws IOException {
            return house.send(tus(house, upload)
                    .header("Upload-Offset", "" + offset)
                    .header("Content-Type", "application/offset+octet-stream")
                    .method("PATCH", BodyPublishers.ofByteArray(Arrays.copyOfRange(content, (int) offset, SIZE))));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void uploads_live_through_a_kill_wherever_it_comes_and_old_content_stays_until_the_new_is_whole() throws Exception {
        try (var house = new Household(folder)) {
            house.start("");
            for (int kill = 0; kill < KILLS; kill++) {
                oneKill(house, kill);
            }
            assertThat(all(house.home().resolve(".sluice/uploads"))).isEmpty();
        }
    }

    private static void oneKill(Household house, int kill) throws Exception {
        List<Line> lines = new ArrayList<>();
        try {
            for (int i = 0; i < SENT.size(); i++) {
                String name = "f" + kill + "-" + i;
                var put = house.send(house.to("/api/v2/files/admin/content?path=" + name)
                        .header("Content-Type", "application/octet-stream")
                        .PUT(BodyPublishers.ofByteArray(OLD)));
                assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
                lines.add(new Line(house, name, 10 * kill + i));
            }
            for (int i = 0; i < SENT.size() - 1; i++) {
                lines.get(i).send(SENT.get(i));
            }
            DoorDesk.until("most of what was sent is on the disk", () -> onDisk(house) > SIZE);
            lines.getLast().send(SIZE);
            house.kill();
            for (int i = 0; i < SENT.size(); i++) {
                var line = lines.get(i);
                byte[] there = Files.readAllBytes(house.home().resolve(line.name));
                boolean whole = SENT.get(i) == SIZE && Arrays.equals(there, line.content);
                assertThat(whole || Arrays.equals(there, OLD))
                        .as(line.name + " is the old or the new, " + there.length)
                        .isTrue();
            }
            house.start("");
            for (int i = 0; i < SENT.size(); i++) {
                goesOn(house, lines.get(i), SENT.get(i));
            }
        } finally {
            for (Line line : lines) {
                line.close();
            }
        }
    }

    private static void goesOn(Household house, Line line, int sent) throws IOException {
        long offset = line.offset();
        assertThat(offset).as(line.name).isBetween(0L, (long) sent);
        if (offset < SIZE) {
            assertThat(Files.readAllBytes(house.home().resolve(line.name))).isEqualTo(OLD);
            assertThat(line.goOn(offset).statusCode()).as(line.name).isEqualTo(204);
        }
        assertThat(line.offset()).isEqualTo(SIZE);
        assertThat(Arrays.equals(Files.readAllBytes(house.home().resolve(line.name)), line.content))
                .as(line.name + " is what was sent")
                .isTrue();
    }

    private static long onDisk(Household house) {
        long bytes = 0;
        for (Path upload : all(house.home().resolve(".sluice/uploads"))) {
            bytes += upload.resolve("data").toFile().length();
        }
        return bytes;
    }

    private static List<Path> all(Path folder) {
        try (var all = Files.list(folder)) {
            return all.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
