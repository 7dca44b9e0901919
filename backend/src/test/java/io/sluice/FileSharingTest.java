package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whose files are whose, and who has which of them in common. */
class FileSharingTest extends AtFileCentre {
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
        assertThat(json(ada.get("/api/v2/links")).getJsonArray("links")).isEmpty();
        for (var said : Map.of("en", "This link is over", "zh", "该链接已失效").entrySet()) {
            var over =
                    eve.get(folder.getString("url"), "Accept", "text/html", "Cookie", "sluice_lang=" + said.getKey());
            assertThat(over.statusCode()).isEqualTo(404);
            assertThat(FileDesk.text(over)).contains(said.getValue()).doesNotContain("model one.pt");
        }
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

    @Test
    void a_group_that_is_deleted_is_named_by_no_share_any_more() {
        var boss = new FileDesk(server, crowd, data, crowd.person("boss" + NUMBER.incrementAndGet(), true));
        String share = "/api/v2/shares/lab" + NUMBER.incrementAndGet();
        String group = "gone" + NUMBER.incrementAndGet();
        String made = "{\"groupname\": \"" + group + "\"}";
        var created =
                boss.send("POST", "/api/v2/groups", BodyPublishers.ofString(made), "Content-Type", "application/json");
        assertThat(created.statusCode()).as(FileDesk.text(created)).isEqualTo(201);
        String body = "{\"readers\": [\"default\", \"" + group + "\"], \"writers\": [\"" + group + "\"]}";
        assertThat(boss.put(share, body, "Content-Type", "application/json").statusCode())
                .isEqualTo(200);

        assertThat(boss.delete("/api/v2/groups/" + group).statusCode()).isEqualTo(200);

        String shares = FileDesk.text(boss.get("/api/v2/shares"));
        assertThat(shares).doesNotContain(group);
        assertThat(json(boss.get("/api/v2/shares")).getJsonArray("shares").stream()
                        .map(JsonObject.class::cast)
                        .filter(one -> share.endsWith("/" + one.getString("name")))
                        .map(one -> one.getJsonArray("readers").getList()))
                .containsExactly(List.of("default"));
    }
}
