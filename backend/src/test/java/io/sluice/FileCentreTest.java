package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Crowd;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The file centre over REST and tus, in a whole gateway on a real disk. */
@Timeout(120)
class FileCentreTest {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String CANARY = "what lies outside";

    @TempDir
    private static Path data;

    private static TestServer server;
    private static Crowd crowd;

    private FileDesk ada;

    @BeforeAll
    static void start() {
        server = new TestServer(data);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    @BeforeEach
    void sit() {
        ada = new FileDesk(server, crowd, data, "ada" + NUMBER.incrementAndGet());
        assertThat(ada.get(ada.files("")).statusCode()).isEqualTo(200);
    }

    private JsonObject json(HttpResponse<byte[]> answer) {
        return new JsonObject(FileDesk.text(answer));
    }

    private Path own(String path, String text) throws IOException {
        Path file = ada.home().resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
        Object uid = Files.getAttribute(ada.home(), "unix:uid");
        Path at = ada.home();
        for (Path name : ada.home().relativize(file)) {
            at = at.resolve(name);
            Files.setAttribute(at, "unix:uid", uid);
        }
        return file;
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @Test
    void a_folder_is_told_page_by_page_and_what_is_made_belongs_to_its_owner() throws IOException {
        for (int i = 0; i < 5; i++) {
            assertThat(ada.put(ada.files("/content?path=f" + i), "text " + i).statusCode())
                    .isEqualTo(200);
        }
        assertThat(ada.post(ada.files("/folder?path=sub")).statusCode()).isEqualTo(201);

        JsonObject first = json(ada.get(ada.files("?limit=4")));
        JsonObject last = json(ada.get(ada.files("?limit=4&after=" + first.getString("next"))));

        assertThat(names(first.getJsonArray("entries"))).containsExactly("f0", "f1", "f2", "f3");
        assertThat(names(last.getJsonArray("entries"))).containsExactly("f4", "sub");
        assertThat(last.getString("next")).isNull();
        assertThat(first.getInteger("total")).isEqualTo(6);
        Object owner = Files.getAttribute(ada.home(), "unix:uid");
        for (String name : List.of("f0", "sub")) {
            assertThat(Files.getAttribute(ada.home().resolve(name), "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(owner);
        }
    }

    private static List<String> names(JsonArray entries) {
        return entries.stream().map(one -> ((JsonObject) one).getString("name")).toList();
    }

    @Test
    void no_spelling_of_a_way_out_leads_out() throws IOException {
        Path canary = Files.writeString(data.resolve("canary"), CANARY);
        Files.writeString(data.resolve("beyond"), CANARY);
        Files.createSymbolicLink(ada.home().resolve("link"), data);
        Files.createSymbolicLink(ada.home().resolve("file"), canary);
        List<String> ways = List.of(
                "../canary",
                "../../canary",
                "%2e%2e/canary",
                "..%2Fcanary",
                "a/../../../canary",
                "link/canary",
                "file",
                "%252e%252e%252fcanary",
                "..%5ccanary",
                "....//canary",
                "%c0%ae%c0%ae/canary",
                ";/../canary",
                "/canary",
                "//canary",
                canary.toString(),
                "../" + ada.person.name() + "-evil",
                "link",
                "./file",
                ".sluice/bin");
        for (String way : ways) {
            for (var answer : List.of(
                    ada.get(ada.files("/content?path=" + way)),
                    ada.put(ada.files("/content?path=" + way + "&x"), "evil"),
                    ada.post(ada.files("/copy?to=out&path=" + way)),
                    ada.get(ada.files("/content?as=zip&path=" + way)))) {
                assertThat(FileDesk.text(answer)).as(way).doesNotContain(CANARY);
            }
            for (var answer : List.of(
                    ada.get(ada.files("?path=" + way)),
                    ada.get(ada.files("/search?name=beyond&path=" + way)),
                    ada.get(ada.files("/content?as=tar&path=" + way)))) {
                assertThat(FileDesk.text(answer)).as(way).doesNotContain(CANARY).doesNotContain("\"beyond\"");
            }
            ada.post(ada.files("/move?to=moved&path=" + way));
            ada.post(ada.files("/move?path=out&to=" + way));
            ada.post(ada.files("/folder?path=" + way));
            ada.delete(ada.files("?path=" + way));
            ada.begin("../" + way, 0, true);
            ada.begin(way, 0, true);
        }
        assertThat(canary).hasContent(CANARY);
        assertThat(data.resolve("homes")).isDirectoryNotContaining("glob:**evil*");
        try (var outside = Files.list(data.resolve("homes"))) {
            assertThat(outside)
                    .allMatch(home -> home.toString().contains("/homes/ada")
                            || home.toString().contains("/homes/eve"));
        }
    }

    @Test
    void names_that_are_no_text_are_kept_and_told() throws IOException {
        String name = "a%0Ab%FF%E2%80%AEc%25";
        assertThat(ada.put(ada.files("/content?path=" + name), "odd").statusCode())
                .isEqualTo(200);

        JsonObject entry = json(ada.get(ada.files(""))).getJsonArray("entries").getJsonObject(0);

        assertThat(entry.getString("path")).isEqualTo(name);
        assertThat(FileDesk.text(ada.get(ada.files("/content?path=" + entry.getString("path")))))
                .isEqualTo("odd");
        assertThat(ada.put(ada.files("/content?path=" + "x".repeat(256)), "long")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_link_lets_whoever_is_signed_in_have_one_thing_until_it_is_taken_back() throws IOException {
        var eve = new FileDesk(server, crowd, data, "eve" + NUMBER.incrementAndGet());
        own("runs/model one.pt", "weights");
        own("secret", "diary");
        assertThat(ada.post(ada.files("/link?path=nothing")).statusCode()).isEqualTo(404);
        assertThat(ada.post(ada.files("/link?path=secret&hours=721")).statusCode())
                .isEqualTo(400);
        assertThat(eve.post(ada.files("/link?path=secret")).statusCode()).isEqualTo(404);
        var made = json(ada.post(ada.files("/link?path=runs/model%20one.pt&hours=1")));
        String url = made.getString("url");
        assertThat(FileDesk.text(eve.get(url))).isEqualTo("weights");
        assertThat(FileDesk.text(eve.get(url + "?path=secret"))).isEqualTo("weights");
        assertThat(eve.get(url).headers().firstValue("Content-Disposition").orElseThrow())
                .startsWith("attachment");
        assertThat(eve.get(url, "Range", "bytes=0-1").statusCode()).isEqualTo(206);
        assertThat(eve.get("/files/link/" + "0".repeat(40)).statusCode()).isEqualTo(404);
        var folder = json(ada.post(ada.files("/link?path=runs")));
        assertThat(eve.get(folder.getString("url")).headers().firstValue("Content-Type"))
                .hasValue("application/zip");
        String page = FileDesk.text(eve.get(url, "Accept", "text/html"));
        assertThat(page).contains("model one.pt", url + "?download=1").doesNotContain("runs/model");
        assertThat(FileDesk.text(eve.get(url + "?download=1", "Accept", "text/html")))
                .isEqualTo("weights");
        var listed = json(ada.get("/api/v2/links")).getJsonArray("links");
        assertThat(listed).hasSize(2);
        assertThat(listed.getJsonObject(0).getInteger("opened")).isEqualTo(5);
        assertThat(json(eve.get("/api/v2/links")).getJsonArray("links")).isEmpty();
        String one = "/api/v2/links/" + made.getString("id");
        assertThat(eve.delete(one).statusCode()).isEqualTo(404);
        assertThat(ada.delete(one).statusCode()).isEqualTo(204);
        assertThat(eve.get(url).statusCode()).isEqualTo(404);
        server.database()
                .pool()
                .query("UPDATE files_links SET expires = now() - interval '1 second'")
                .execute()
                .await();
        assertThat(eve.get(folder.getString("url")).statusCode()).isEqualTo(404);
    }

    @Test
    void what_everybody_writes_takes_uploads_and_a_bin_of_each_ones_own() {
        var bob = new FileDesk(server, crowd, data, "eve" + NUMBER.incrementAndGet());
        String name = ada.person.name() + ".bin";
        String metadata = "path " + Base64.getEncoder().encodeToString(name.getBytes(StandardCharsets.UTF_8))
                + ",space " + Base64.getEncoder().encodeToString("@data".getBytes(StandardCharsets.UTF_8));
        var begun = ada.send(
                "POST",
                "/api/v2/uploads",
                BodyPublishers.noBody(),
                "Tus-Resumable",
                "1.0.0",
                "Upload-Length",
                "4",
                "Upload-Metadata",
                metadata);
        assertThat(begun.statusCode()).isEqualTo(201);
        String upload = begun.headers().firstValue("Location").orElseThrow();
        assertThat(upload).startsWith("/api/v2/uploads/@data~");
        assertThat(bob.offset(upload)).isEqualTo(-404);
        assertThat(ada.piece(upload, 0, new byte[2]).statusCode()).isEqualTo(204);
        assertThat(ada.offset(upload)).isEqualTo(2);
        assertThat(ada.piece(upload, 2, new byte[2]).statusCode()).isEqualTo(204);
        String there = "/api/v2/files/@data?path=" + name;
        assertThat(json(bob.get(there)).getInteger("size")).isEqualTo(4);
        assertThat(bob.get("/api/v2/files/@data?path=.sluice").statusCode()).isEqualTo(404);
        if (System.getProperty("user.name").equals("root")) {
            assertThat(bob.delete(there).statusCode()).isEqualTo(403);
        }
        assertThat(ada.delete(there).statusCode()).isEqualTo(204);
        assertThat(FileDesk.text(ada.get("/api/v2/files/@data/bin"))).contains(name);
        assertThat(json(bob.get("/api/v2/files/@data/bin")).getJsonArray("deleted"))
                .isEmpty();
        assertThat(json(ada.get(ada.files("/bin"))).getJsonArray("deleted")).isEmpty();
        String tampered = metadata.replace(
                Base64.getEncoder().encodeToString("@data".getBytes(StandardCharsets.UTF_8)),
                Base64.getEncoder().encodeToString("@gdata".getBytes(StandardCharsets.UTF_8)));
        assertThat(ada.send(
                                "POST",
                                "/api/v2/uploads",
                                BodyPublishers.noBody(),
                                "Tus-Resumable",
                                "1.0.0",
                                "Upload-Length",
                                "4",
                                "Upload-Metadata",
                                tampered)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void another_s_files_and_uploads_are_not_there() {
        ada.put(ada.files("/content?path=secret"), "mine");
        String upload = ada.upload("big", 10, false);
        var eve = new FileDesk(server, crowd, data, "eve" + NUMBER.incrementAndGet());

        assertThat(eve.get(ada.files("/content?path=secret")).statusCode()).isEqualTo(404);
        assertThat(eve.offset(upload)).isEqualTo(-404);
        assertThat(eve.piece(upload, 0, new byte[10]).statusCode()).isEqualTo(404);
        assertThat(eve.send("DELETE", upload, BodyPublishers.noBody(), "Tus-Resumable", "1.0.0")
                        .statusCode())
                .isEqualTo(404);
        assertThat(ada.offset(upload)).isZero();
    }

    @Test
    void a_range_is_just_that_range() throws IOException {
        byte[] bytes = random(1 << 20);
        Files.write(own("big.bin", ""), bytes);
        String path = ada.files("/content?path=big.bin");

        var whole = ada.get(path);
        assertThat(whole.body()).isEqualTo(bytes);
        String etag = whole.headers().firstValue("ETag").orElseThrow();
        assertThat(whole.headers().firstValue("Content-Disposition").orElseThrow())
                .startsWith("attachment");
        var part = ada.get(path, "Range", "bytes=1000-300999", "If-Range", etag);
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(bytes, 1000, 301_000));
        assertThat(ada.get(path, "Range", "bytes=-5").body())
                .isEqualTo(Arrays.copyOfRange(bytes, bytes.length - 5, bytes.length));
        assertThat(ada.get(path, "Range", "bytes=9999999-").statusCode()).isEqualTo(416);
        assertThat(ada.get(path, "Range", "bytes=0-5", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
        assertThat(ada.get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(ada.get(ada.files("/content?as=picture&path=big.bin")).statusCode())
                .isEqualTo(400);
    }

    @Test
    void what_has_changed_since_is_not_written_over() throws IOException {
        String path = ada.files("/content?path=run.sh");
        Path file = own("run.sh", "one");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-x---"));
        String etag = ada.get(path).headers().firstValue("ETag").orElseThrow();

        assertThat(ada.put(path, "two", "If-Match", etag).statusCode()).isEqualTo(200);
        assertThat(ada.put(path, "three", "If-Match", etag).statusCode()).isEqualTo(412);
        assertThat(ada.put(path, "new", "If-None-Match", "*").statusCode()).isEqualTo(412);
        assertThat(file).hasContent("two");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x---");
        assertThat(ada.put(ada.files("/content?path=fresh"), "new", "If-None-Match", "*")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void what_is_deleted_can_be_had_back() throws IOException {
        own("model/weights.pt", "w");
        own("model/sub/log", "l");

        assertThat(ada.delete(ada.files("?path=model")).statusCode()).isEqualTo(204);
        assertThat(ada.get(ada.files("?path=model")).statusCode()).isEqualTo(404);
        JsonObject deleted =
                json(ada.get(ada.files("/bin"))).getJsonArray("deleted").getJsonObject(0);
        assertThat(deleted.getString("path")).isEqualTo("model");
        String bin = ada.files("/bin/" + deleted.getString("id"));
        ada.post(ada.files("/folder?path=model"));
        assertThat(ada.post(bin).statusCode()).isEqualTo(409);
        Files.delete(ada.home().resolve("model"));
        assertThat(ada.post(bin).statusCode()).isEqualTo(200);
        assertThat(ada.home().resolve("model/sub/log")).hasContent("l");
        assertThat(ada.post(bin).statusCode()).isEqualTo(404);

        ada.delete(ada.files("?path=model/sub"));
        String id = json(ada.get(ada.files("/bin")))
                .getJsonArray("deleted")
                .getJsonObject(0)
                .getString("id");
        assertThat(ada.delete(ada.files("/bin/" + id)).statusCode()).isEqualTo(204);
        assertThat(json(ada.get(ada.files("/bin"))).getJsonArray("deleted")).isEmpty();
        assertThat(json(ada.get(ada.files(""))).getInteger("total")).isEqualTo(1);
    }

    @Test
    void files_are_moved_copied_and_found() throws IOException {
        own("a/one.txt", "1");
        own("a/deep/Two.TXT", "2");
        Files.createSymbolicLink(ada.home().resolve("a/link"), Path.of("/etc/passwd"));

        assertThat(ada.post(ada.files("/copy?path=a&to=b")).statusCode()).isEqualTo(201);
        assertThat(ada.home().resolve("b/deep/Two.TXT")).hasContent("2");
        assertThat(ada.home().resolve("b/link")).isSymbolicLink();
        assertThat(ada.post(ada.files("/copy?path=a&to=b")).statusCode()).isEqualTo(409);
        assertThat(ada.post(ada.files("/move?path=a&to=a/deep/a")).statusCode()).isEqualTo(403);
        assertThat(ada.post(ada.files("/move?path=a/one.txt&to=b/one.txt")).statusCode())
                .isEqualTo(409);
        own("a/one.txt", "newer");
        assertThat(ada.post(ada.files("/move?path=a/one.txt&to=b/one.txt&replace=1"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(ada.home().resolve("b/one.txt")).hasContent("newer");
        JsonObject found = json(ada.get(ada.files("/search?name=TWO.t")));
        assertThat(found.getBoolean("whole")).isTrue();
        assertThat(found.getJsonArray("entries").stream().map(one -> ((JsonObject) one).getString("path")))
                .containsExactlyInAnyOrder("a/deep/Two.TXT", "b/deep/Two.TXT");
    }

    @Test
    void a_copy_that_goes_on_elsewhere_is_told_as_that_and_not_done_twice() throws Exception {
        own("a/one.txt", "1");
        String id = HexFormat.of()
                .formatHex(
                        MessageDigest.getInstance("SHA-256").digest("copy a b".getBytes(StandardCharsets.UTF_8)),
                        0,
                        14);
        Path told = own(".sluice/operations/" + id, "RUNNING\n5\n0\n");

        var running = ada.post(ada.files("/copy?path=a&to=b"));
        assertThat(running.statusCode()).isEqualTo(202);
        String address = running.headers().firstValue("Location").orElseThrow();
        assertThat(address).isEqualTo(ada.files("/operations/" + id));
        assertThat(json(ada.get(address)).getInteger("bytes")).isEqualTo(5);
        assertThat(ada.home().resolve("b")).doesNotExist();

        Files.setLastModifiedTime(told, FileTime.from(Instant.now().minusSeconds(61)));
        assertThat(json(ada.get(address)).getString("state")).isEqualTo("failed");
        assertThat(ada.post(ada.files("/copy?path=a&to=b")).statusCode()).isEqualTo(201);
        assertThat(ada.home().resolve("b/one.txt")).hasContent("1");
        assertThat(ada.get(address).statusCode()).isEqualTo(404);

        own(".sluice/operations/" + id, "DONE\n5\n0\n");
        assertThat(ada.post(ada.files("/copy?path=a&to=b")).statusCode())
                .as("whoever missed the answer asks again")
                .isEqualTo(201);
        assertThat(ada.post(ada.files("/copy?path=a&to=b")).statusCode()).isEqualTo(409);
    }

    @Test
    void a_folder_comes_as_zip_and_as_tar() throws Exception {
        byte[] large = random(700_000);
        Files.write(own("d/large.bin", ""), large);
        own("d/" + "n".repeat(150) + "/\u6587\u4EF6.txt", "text");
        Files.createSymbolicLink(ada.home().resolve("d/link"), Path.of("large.bin"));
        assertThat(new ProcessBuilder("mkfifo", ada.home().resolve("d/pipe").toString())
                        .start()
                        .waitFor())
                .isZero();

        Set<String> names = new HashSet<>();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(
                ada.get(ada.files("/content?as=zip&path=d")).body()))) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                names.add(entry.getName());
                if (entry.getName().equals("d/large.bin")) {
                    assertThat(zip.readAllBytes()).isEqualTo(large);
                }
                if (entry.getName().equals("d/LEFT-OUT.txt")) {
                    assertThat(zip.readAllBytes())
                            .asString(StandardCharsets.UTF_8)
                            .isEqualTo("pipe\n");
                }
            }
        }
        assertThat(names)
                .contains("d/large.bin", "d/link", "d/LEFT-OUT.txt", "d/" + "n".repeat(150) + "/\u6587\u4EF6.txt");

        Path out = Files.createDirectory(data.resolve("out" + NUMBER.incrementAndGet()));
        Path tar = Files.write(
                out.resolve("d.tar"),
                ada.get(ada.files("/content?as=tar&path=d")).body());
        var untar = new ProcessBuilder("tar", "-xf", tar.toString(), "-C", out.toString())
                .inheritIO()
                .start();
        assertThat(untar.waitFor()).isZero();
        assertThat(out.resolve("d/large.bin")).hasBinaryContent(large);
        assertThat(out.resolve("d/link")).isSymbolicLink();
        assertThat(Files.readSymbolicLink(out.resolve("d/link"))).hasToString("large.bin");
        assertThat(new String(
                        new ProcessBuilder("tar", "-tf", tar.toString(), "--quoting-style=literal")
                                .start()
                                .getInputStream()
                                .readAllBytes(),
                        StandardCharsets.UTF_8))
                .contains("n".repeat(150) + "/\u6587\u4EF6.txt");
    }

    @Test
    void the_old_content_stays_whole_until_the_new_is_there() throws IOException {
        byte[] bytes = random(2_000_003);
        Path file = own("data/set.bin", "old");
        String upload = ada.upload("data/set.bin", bytes.length, true);
        int at = 0;
        for (int end : new int[] {1, bytes.length / 2, (int) (bytes.length * 0.999)}) {
            var answer = ada.piece(upload, at, Arrays.copyOfRange(bytes, at, end));
            assertThat(answer.statusCode()).isEqualTo(204);
            at = end;
            assertThat(ada.offset(upload)).isEqualTo(at);
            assertThat(file).hasContent("old");
        }
        assertThat(ada.piece(upload, at - 1, new byte[1]).statusCode()).isEqualTo(409);
        assertThat(ada.piece(upload, at, new byte[bytes.length - at + 1]).statusCode())
                .isEqualTo(400);
        assertThat(ada.piece(upload, at, Arrays.copyOfRange(bytes, at, bytes.length))
                        .statusCode())
                .isEqualTo(204);
        assertThat(file).hasBinaryContent(bytes);
        assertThat(ada.offset(upload)).as("whoever missed the last answer asks").isEqualTo(bytes.length);
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(Files.getAttribute(ada.home(), "unix:uid"));
    }

    @Test
    void a_line_that_breaks_leaves_what_came_and_the_upload_goes_on() throws Exception {
        byte[] bytes = random(3_000_000);
        String upload = ada.upload("broken/file", bytes.length, false);
        URI address = URI.create(server.address());
        try (var socket = new Socket(address.getHost(), address.getPort())) {
            String head = "PATCH " + upload + " HTTP/1.1\r\nHost: " + address.getAuthority()
                    + "\r\nAuthorization: Bearer " + ada.bearer
                    + "\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream"
                    + "\r\nContent-Length: " + bytes.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(bytes, 0, 2_000_000);
            socket.getOutputStream().flush();
            Path slots = ada.home().resolve(".sluice/uploads");
            Path arrived =
                    slots.resolve(upload.substring(upload.lastIndexOf('/') + 1)).resolve("data");
            while (Files.size(arrived) < 1_000_000) {
                Thread.onSpinWait();
            }
        }
        int offset = (int) ada.offset(upload);
        assertThat(offset).isBetween(1_000_000, 2_000_000);
        assertThat(ada.piece(upload, offset, Arrays.copyOfRange(bytes, offset, bytes.length))
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.home().resolve("broken/file")).hasBinaryContent(bytes);
    }

    @Test
    void a_piece_that_is_not_what_its_checksum_says_is_dropped() throws Exception {
        byte[] bytes = random(1_000_000);
        String upload = ada.upload("sum", bytes.length, false);
        String sum = "sha256 "
                + Base64.getEncoder()
                        .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));

        assertThat(ada.piece(upload, 0, new byte[bytes.length], "Upload-Checksum", sum)
                        .statusCode())
                .isEqualTo(460);
        assertThat(ada.offset(upload)).isZero();
        assertThat(ada.home().resolve("sum")).doesNotExist();
        assertThat(ada.piece(upload, 0, bytes, "Upload-Checksum", "crc9 AAAA").statusCode())
                .isEqualTo(400);
        assertThat(ada.piece(upload, 0, bytes, "Upload-Checksum", sum).statusCode())
                .isEqualTo(204);
        assertThat(ada.home().resolve("sum")).hasBinaryContent(bytes);
    }

    @Test
    void of_two_uploads_to_one_name_one_is_there_and_the_other_is_told() {
        String first = ada.upload("same", 3, false);
        String second = ada.upload("same", 3, false);

        assertThat(ada.piece(first, 0, "one".getBytes(StandardCharsets.US_ASCII))
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.piece(second, 0, "two".getBytes(StandardCharsets.US_ASCII))
                        .statusCode())
                .isEqualTo(409);
        assertThat(ada.home().resolve("same")).hasContent("one");
        assertThat(ada.begin("same", 3, false).statusCode()).isEqualTo(409);
        assertThat(ada.send("DELETE", second, BodyPublishers.noBody(), "Tus-Resumable", "1.0.0")
                        .statusCode())
                .isEqualTo(204);
        assertThat(ada.offset(second)).isEqualTo(-404);
    }

    @Test
    void an_empty_file_is_there_at_once_and_a_lie_about_tus_is_refused() {
        ada.upload("empty", 0, false);
        assertThat(ada.home().resolve("empty")).isEmptyFile();
        assertThat(ada.begin(".sluice/uploads/x", 1, true).statusCode()).isEqualTo(404);
        assertThat(ada.send("POST", "/api/v2/uploads", BodyPublishers.noBody()).statusCode())
                .isEqualTo(412);
        var options = ada.send("OPTIONS", "/api/v2/uploads", BodyPublishers.noBody());
        assertThat(options.headers().firstValue("Tus-Extension")).hasValue("creation,checksum,termination,expiration");
    }

    @Test
    void what_everybody_reads_nobody_changes_here() throws IOException {
        Path shared = Files.createDirectories(data.resolve("gdata"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(shared.resolve("mnist.txt"), "digits");
        Path closed = Files.writeString(shared.resolve("closed"), "root's");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rw-------"));

        assertThat(FileDesk.text(ada.get("/api/v2/files/@gdata/content?path=mnist.txt")))
                .isEqualTo("digits");
        assertThat(json(ada.get("/api/v2/files/@gdata")).getBoolean("writable")).isFalse();
        for (var refused : List.of(
                ada.put("/api/v2/files/@gdata/content?path=new", "x"),
                ada.delete("/api/v2/files/@gdata?path=mnist.txt"),
                ada.post("/api/v2/files/@gdata/folder?path=new"),
                ada.post("/api/v2/files/@gdata/copy?path=mnist.txt&to=new"))) {
            assertThat(refused.statusCode()).isEqualTo(403);
        }
        if (System.getProperty("user.name").equals("root")) {
            assertThat(ada.get("/api/v2/files/@gdata/content?path=closed").statusCode())
                    .isEqualTo(403);
        }
        Path home = ada.home();
        Files.move(home, data.resolve("elsewhere" + NUMBER.incrementAndGet()));
        Files.createSymbolicLink(home, shared);
        assertThat(ada.get("/api/v2/files/@gdata/content?path=closed").statusCode())
                .as("a link's owner is who made it")
                .isEqualTo(422);
        assertThat(ada.get(ada.files("")).statusCode()).isEqualTo(422);
    }
}
