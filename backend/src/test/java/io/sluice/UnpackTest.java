package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.unpacking.Crafted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Archives over REST. */
class UnpackTest extends AtFileCentre {
    private void put(String path, String content) {
        assertThat(ada.put(ada.files("/content?path=" + path), content).statusCode())
                .isEqualTo(200);
    }

    private void put(String path, byte[] content) {
        assertThat(ada.piece(ada.upload(path, content.length, true), 0, content).statusCode())
                .isEqualTo(204);
    }

    private long used() {
        return json(ada.get("/api/v2/quota")).getLong("bytes");
    }

    @Test
    void what_was_packed_here_is_unpacked_here_and_belongs_to_its_owner() throws IOException {
        ada.post(ada.files("/folder?path=runs"));
        ada.post(ada.files("/folder?path=runs/1"));
        put("runs/1/notes.md", "一行中文");
        put("runs/weights", "w".repeat(100_000));
        for (String as : new String[] {"zip", "tar"}) {
            put(
                    "packed." + as,
                    ada.get(ada.files("/content?path=runs&as=" + as)).body());
            var unpacked = ada.post(ada.files("/unpack?path=packed." + as + "&to=" + as));
            assertThat(unpacked.statusCode()).as(FileDesk.text(unpacked)).isEqualTo(201);
            assertThat(json(unpacked).getString("path")).isEqualTo(as);
            Path notes = ada.home().resolve(as + "/runs/1/notes.md");
            assertThat(notes).hasContent("一行中文");
            assertThat(Files.getAttribute(notes, "unix:uid"))
                    .isEqualTo(Files.getAttribute(ada.home().resolve("runs"), "unix:uid"));
            assertThat(ada.get(ada.files("/content?path=" + as + "/runs/weights"))
                            .body())
                    .hasSize(100_000);
        }
        var again = ada.post(ada.files("/unpack?path=packed.zip&to=zip"));
        assertThat(again.statusCode()).isEqualTo(409);
        put("zip/runs/1/notes.md", "mine");
        var kept = ada.post(ada.files("/unpack?path=packed.zip&to=zip&collisions=keep"));
        assertThat(kept.statusCode()).isEqualTo(201);
        assertThat(ada.home().resolve("zip/runs/1/notes.md")).hasContent("mine");
        var beside = ada.post(ada.files("/unpack?path=packed.tar"));
        assertThat(json(beside).getString("path")).isEqualTo("packed");
        assertThat(ada.post(ada.files("/unpack?path=runs/weights")).statusCode())
                .isEqualTo(400);
        assertThat(ada.post(ada.files("/unpack?path=packed.zip&to=a&collisions=some"))
                        .statusCode())
                .isEqualTo(400);
        assertThat(ada.post(ada.files("/unpack?path=runs/weights&to=a")).statusCode())
                .isEqualTo(422);
    }

    @Test
    void an_archive_that_leads_out_is_told_by_its_entry_and_leaves_nothing() throws IOException {
        byte[] evil =
                new Crafted.Tar().file("good", "1").file("../../evil", "2").done();
        put("evil.tgz", Crafted.gz(evil));
        long before = used();
        var refused = ada.post(ada.files("/unpack?path=evil.tgz"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(json(refused).getString("code")).isEqualTo("ArchiveOutsideError");
        assertThat(json(refused).getString("message")).startsWith("\"../../evil\": ");
        try (Stream<Path> all = Files.walk(data)) {
            assertThat(all.map(path -> String.valueOf(path.getFileName()))).doesNotContain("evil", "good");
        }
        assertThat(used()).isEqualTo(before);
    }

    @Test
    void what_has_no_room_is_refused_and_counts_for_nothing() {
        String tokens = new String(new byte[4 << 20], StandardCharsets.ISO_8859_1);
        put(
                "big.tgz",
                Crafted.gz(new Crafted.Tar()
                        .file("a", tokens)
                        .file("b", tokens)
                        .file("c", tokens)
                        .done()));
        long before = used();
        var boss = new FileDesk(server, crowd, data, crowd.person("boss" + NUMBER.incrementAndGet(), true));
        var limited = boss.put(
                "/api/v2/quotas/" + ada.person.name(), "{\"bytes\": 10000000}", "Content-Type", "application/json");
        assertThat(limited.statusCode()).isEqualTo(204);
        assertThat(ada.post(ada.files("/unpack?path=big.tgz")).statusCode()).isEqualTo(507);
        assertThat(used()).isEqualTo(before);
        assertThat(ada.home().resolve("big")).doesNotExist();

        boss.put("/api/v2/quotas/" + ada.person.name(), "{\"bytes\": 20000000}", "Content-Type", "application/json");
        assertThat(ada.post(ada.files("/unpack?path=big.tgz")).statusCode()).isEqualTo(201);
        assertThat(used()).isEqualTo(before + (12 << 20));
    }

    @Test
    void another_s_archive_is_not_there_and_what_does_not_run_is_not_stopped() {
        put("a.zip", "PK");
        var eve = new FileDesk(server, crowd, data, "eve" + NUMBER.incrementAndGet());
        assertThat(eve.post(ada.files("/unpack?path=a.zip&to=a")).statusCode()).isEqualTo(404);
        assertThat(ada.delete(ada.files("/operations/0123456789abcdef0123456789ab"))
                        .statusCode())
                .isEqualTo(404);
        assertThat(ada.delete(ada.files("/operations/else")).statusCode()).isEqualTo(404);
    }
}
