package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/** The file centre over REST. */
class FileCentreTest extends AtFileCentre {
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
        String id = id("copy a b " + json(ada.get(ada.files("?path=a"))).getString("etag"));
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

    /** The note of what took longer than its answer, as it was left. */
    private void done(String words) throws Exception {
        own(".sluice/operations/" + id(words), "DONE\n5\n0\n");
    }

    private static String id(String words) throws Exception {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(words.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(sum, 0, 14);
    }

    @Test
    void what_has_the_name_of_something_destroyed_is_another_and_goes_too() throws Exception {
        Path file = own("run/log.txt", "the second of the name");
        done("destroy run");
        done("destroy run " + Files.getAttribute(ada.home().resolve("run"), "unix:ino"));

        assertThat(ada.delete(ada.files("?path=run&forever=1")).statusCode()).isEqualTo(204);

        assertThat(file.getParent()).doesNotExist();
        assertThat(ada.delete(ada.files("?path=run&forever=1")).statusCode()).isEqualTo(404);
    }

    @Test
    void a_copy_is_told_as_done_only_of_the_same_source_and_to_who_does_not_know_it() throws Exception {
        own("a.txt", "1");
        own("b.txt", "older");
        String before =
                "copy a.txt b.txt " + json(ada.get(ada.files("?path=a.txt"))).getString("etag");
        done("copy a.txt b.txt");
        done(before);
        own("a.txt", "22");
        assertThat(ada.post(ada.files("/copy?path=a.txt&to=b.txt")).statusCode())
                .isEqualTo(409);

        String now =
                "copy a.txt b.txt " + json(ada.get(ada.files("?path=a.txt"))).getString("etag");
        done(now);
        assertThat(json(ada.get(ada.files("/operations/" + id(now)))).getString("state"))
                .isEqualTo("done");
        assertThat(ada.post(ada.files("/copy?path=a.txt&to=b.txt")).statusCode())
                .isEqualTo(409);
        assertThat(ada.home().resolve("b.txt")).hasContent("older");
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
}
