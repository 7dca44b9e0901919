package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Crowd;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Datasets and images: who sees which, who says what becomes of them, and what a job makes of them. */
@Timeout(120)
class CatalogueTest {
    private static final String FORM = "application/x-www-form-urlencoded";

    @TempDir
    private static Path data;

    private static TestServer server;
    private static Crowd crowd;
    private static FileDesk root;
    private static FileDesk ada;
    private static FileDesk bob;

    @BeforeAll
    static void start() {
        server = new TestServer(data, "--allow-shared-process-engine");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        root = new FileDesk(server, crowd, data, crowd.person("catroot", true));
        ada = new FileDesk(server, crowd, data, "ada");
        bob = new FileDesk(server, crowd, data, "bob");
        for (String group : List.of("vision", "speech")) {
            var made = sent(root, "POST", "/api/v2/groups", new JsonObject().put("groupname", group));
            assertThat(made.statusCode()).as(FileDesk.text(made)).isEqualTo(201);
        }
        var member = sent(root, "PUT", "/api/v2/users/ada/group", new JsonObject().put("groupname", "vision"));
        assertThat(member.statusCode()).as(FileDesk.text(member)).isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static HttpResponse<byte[]> sent(FileDesk desk, String method, String path, JsonObject body) {
        return desk.send(method, path, BodyPublishers.ofString(body.encode()), "Content-Type", "application/json");
    }

    private static HttpResponse<byte[]> form(FileDesk desk, String path, String body) {
        return desk.send("POST", path, BodyPublishers.ofString(body), "Content-Type", FORM);
    }

    private static JsonObject json(HttpResponse<byte[]> answer) {
        return new JsonObject(FileDesk.text(answer));
    }

    private static JsonObject dataset(String name, String path, String... readers) {
        return new JsonObject().put("name", name).put("path", path).put("readers", new JsonArray(List.of(readers)));
    }

    private static long added(FileDesk desk, String catalogue, JsonObject content) {
        var answer = sent(desk, "POST", "/api/v2/" + catalogue, content);
        assertThat(answer.statusCode()).as(FileDesk.text(answer)).isEqualTo(201);
        return json(answer).getLong("id");
    }

    private static HttpResponse<byte[]> answered(String catalogue, long id, boolean accepted, String word) {
        long changed = json(root.get("/api/v2/" + catalogue + "/" + id)).getLong("changed");
        return answered(catalogue, id, accepted, word, changed);
    }

    private static HttpResponse<byte[]> answered(String catalogue, long id, boolean accepted, String word, long read) {
        return sent(
                root,
                "POST",
                "/api/v2/" + catalogue + "/" + id + "/answer",
                new JsonObject().put("accepted", accepted).put("word", word).put("changed", read));
    }

    private static List<String> names(FileDesk desk, String catalogue, String query) {
        return json(desk.get("/api/v2/" + catalogue + "?" + query)).getJsonArray(catalogue).stream()
                .map(one -> ((JsonObject) one).getString("name"))
                .toList();
    }

    @Test
    void a_dataset_is_seen_by_the_groups_that_read_it_and_does_not_exist_for_others() {
        long id = added(root, "datasets", dataset("faces", "/gdata/faces", "vision"));
        assertThat(names(ada, "datasets", "q=faces")).containsExactly("faces");
        assertThat(ada.get("/datasets/" + id).statusCode()).isEqualTo(200);
        assertThat(names(bob, "datasets", "q=faces")).isEmpty();
        for (String path : List.of("/api/v2/datasets/" + id, "/datasets/" + id, "/jobs/new?dataset=" + id)) {
            assertThat(bob.get(path).statusCode()).as(path).isEqualTo(404);
        }
        assertThat(sent(bob, "PUT", "/api/v2/datasets/" + id, new JsonObject()).statusCode())
                .isEqualTo(404);
        assertThat(sent(ada, "PUT", "/api/v2/datasets/" + id, new JsonObject()).statusCode())
                .as("it is the administrator's")
                .isEqualTo(403);
    }

    @Test
    void what_somebody_proposes_waits_for_the_administrators_word_and_may_be_changed_until_it_is_accepted() {
        long id = added(ada, "datasets", dataset("birds", "/gdata/birds", "default"));
        String path = "/api/v2/datasets/" + id;
        assertThat(json(ada.get(path)).getString("standing")).isEqualTo("proposed");
        assertThat(bob.get(path).statusCode()).isEqualTo(404);
        assertThat(names(root, "datasets", "show=proposed")).contains("birds");
        assertThat(answered("datasets", id, false, " ").statusCode())
                .as("without a word")
                .isEqualTo(400);
        assertThat(answered("datasets", id, false, "Which birds?").statusCode()).isEqualTo(200);
        assertThat(FileDesk.text(ada.get("/datasets/" + id))).contains("Which birds?");
        var again = sent(ada, "PUT", path, new JsonObject().put("description", "Two hundred kinds"));
        assertThat(json(again).getString("standing")).as("proposed anew").isEqualTo("proposed");
        assertThat(json(again).getString("word")).isEmpty();
        assertThat(answered("datasets", id, true, "").statusCode()).isEqualTo(200);
        assertThat(json(bob.get(path)).getString("description")).isEqualTo("Two hundred kinds");
        assertThat(ada.delete(path).statusCode()).isEqualTo(403);
        assertThat(root.delete(path).statusCode()).isEqualTo(204);
        assertThat(ada.get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void what_lies_in_a_share_is_counted_once_it_is_accepted_and_what_is_not_there_is_said_not_to_be()
            throws IOException {
        Path folder =
                Files.createDirectories(data.resolve("gdata").resolve("digits").resolve("train"));
        Files.writeString(folder.resolve("one"), "x".repeat(1_000));
        Files.writeString(folder.resolve("two"), "x".repeat(500));
        Files.writeString(data.resolve("gdata").resolve("digits.tar"), "x".repeat(70));
        long id = added(ada, "datasets", dataset("digits", "/gdata/digits/", "default"));
        assertThat(json(ada.get("/api/v2/datasets/" + id)).getValue("bytes")).isNull();
        answered("datasets", id, true, "");
        DoorDesk.until(
                "it is counted", () -> json(ada.get("/api/v2/datasets/" + id)).getValue("counted") != null);
        assertThat(json(ada.get("/api/v2/datasets/" + id)).getLong("bytes")).isEqualTo(1_500);
        assertThat(json(ada.get("/api/v2/datasets/" + id)).getLong("files"))
                .as("and a folder")
                .isEqualTo(3);
        assertThat(FileDesk.text(ada.get("/datasets/" + id))).contains("1.5 kB", "ls /gdata/digits");
        long file = added(root, "datasets", dataset("digits as a file", "/gdata/digits.tar", "default"));
        long gone = added(root, "datasets", dataset("gone", "/gdata/gone", "default"));
        DoorDesk.until(
                "the file is counted",
                () -> Long.valueOf(70)
                        .equals(json(ada.get("/api/v2/datasets/" + file)).getLong("bytes")));
        DoorDesk.until(
                "it is looked for",
                () -> "missing".equals(json(ada.get("/api/v2/datasets/" + gone)).getString("fault")));
        assertThat(FileDesk.text(ada.get("/datasets/" + gone))).contains("There is nothing at this place.");
        Files.createDirectories(data.resolve("gdata").resolve("gone"));
        assertThat(root.post("/api/v2/datasets/" + gone + "/count").statusCode())
                .isEqualTo(202);
        DoorDesk.until(
                "it is there", () -> json(ada.get("/api/v2/datasets/" + gone)).getValue("fault") == null);
    }

    @Test
    void a_link_in_a_share_is_not_followed_to_what_it_leads_to() throws IOException {
        Path gdata = Files.createDirectories(data.resolve("gdata"));
        Files.createSymbolicLink(gdata.resolve("way-out"), data.resolve("homes"));
        long id = added(root, "datasets", dataset("way out", "/gdata/way-out", "default"));
        DoorDesk.until(
                "it is looked at",
                () -> "link".equals(json(root.get("/api/v2/datasets/" + id)).getString("fault")));
    }

    @Test
    void one_name_stands_in_the_catalogue_once_and_proposals_do_not_tell_what_others_have_named() {
        added(root, "datasets", dataset("Secret", "s3://lab/secret/", "speech"));
        long proposed = added(ada, "datasets", dataset("secret", "s3://lab/other/", "default"));
        assertThat(answered("datasets", proposed, true, "").statusCode()).isEqualTo(409);
        assertThat(FileDesk.text(form(root, "/datasets/new", "name=SECRET&path=s3://lab/x&readers=default")))
                .contains("There is a dataset of this name in the catalogue already.", "value=\"SECRET\"");
        long read = json(root.get("/api/v2/datasets/" + proposed)).getLong("changed");
        var said = form(root, "/datasets/" + proposed + "/answer", "accepted=true&changed=" + read);
        assertThat(said.headers().firstValue("Location")).contains("/datasets/" + proposed);
    }

    @Test
    void what_does_not_fit_comes_back_with_what_was_typed_and_what_to_do() {
        var answer = form(
                ada, "/datasets/new", "name=&path=%2Fgdata%2F..%2Fhomes&readers=nobodys&size=1%2B&description=kept");
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(FileDesk.text(answer))
                .contains("Give it a name", "without . and .. in it", "kept", "value=\"/gdata/../homes\"");
        assertThat(FileDesk.text(form(ada, "/datasets/new", "name=x&path=/mnt/none/x&readers=nobodys")))
                .contains("There is no such group.", "There is no such share");
        var api = sent(ada, "POST", "/api/v2/datasets", dataset("x", "/mnt/none/x", "default"));
        assertThat(api.statusCode()).isEqualTo(400);
        assertThat(json(api).getString("message")).contains("no share called none");
        assertThat(ada.get("/datasets?show=others").statusCode()).isEqualTo(400);
        assertThat(ada.get("/datasets/none").statusCode()).isEqualTo(404);
    }

    @Test
    void what_is_changed_after_the_administrator_has_read_it_is_not_accepted_by_their_click() {
        var image = new JsonObject()
                .put("name", "Harmless")
                .put("repository", "registry.example.org/lab/harmless")
                .put("tags", new JsonArray().add("1"));
        var swapped =
                new JsonObject().put("path", "s3://lab/other/").put("repository", "registry.example.org/lab/other");
        for (String catalogue : List.of("datasets", "images")) {
            var content = catalogue.equals("images") ? image : dataset("harmless", "s3://lab/harmless/", "default");
            long id = added(ada, catalogue, content);
            String path = "/api/v2/" + catalogue + "/" + id;
            long read = json(root.get(path)).getLong("changed");
            assertThat(FileDesk.text(root.get("/" + catalogue + "/" + id))).contains("value=\"" + read + "\"");
            assertThat(sent(ada, "PUT", path, swapped).statusCode()).isEqualTo(200);
            assertThat(answered(catalogue, id, true, "", read).statusCode()).isEqualTo(409);
            for (String seen : List.of("&changed=" + read, "")) {
                form(root, "/" + catalogue + "/" + id + "/answer", "accepted=true" + seen);
                assertThat(json(root.get(path)).getString("standing")).isEqualTo("proposed");
            }
            assertThat(sent(root, "POST", path + "/answer", new JsonObject().put("accepted", true))
                            .statusCode())
                    .as("nobody says what was read")
                    .isEqualTo(400);
            assertThat(answered(catalogue, id, true, "").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void so_many_proposals_of_one_user_wait_and_no_more() {
        var eve = new FileDesk(server, crowd, data, "eve");
        long first = added(eve, "datasets", dataset("e0", "/gdata/e", "default"));
        for (int i = 1; i < 20; i++) {
            added(eve, "datasets", dataset("e" + i, "/gdata/e", "default"));
        }
        var refused = sent(eve, "POST", "/api/v2/datasets", dataset("e20", "/gdata/e", "default"));
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(json(refused).getString("code")).isEqualTo("TooManyProposalsError");
        assertThat(eve.delete("/api/v2/datasets/" + first).statusCode()).isEqualTo(204);
        added(eve, "datasets", dataset("e20", "/gdata/e", "default"));
    }

    @Test
    void an_image_is_found_by_what_is_in_it_and_for_which_devices_it_is() {
        var mindspore = new JsonObject()
                .put("name", "MindSpore 2.3")
                .put("description", "Python 3.9, CANN 8")
                .put("repository", "registry.example.org/lab/mindspore")
                .put("tags", new JsonArray().add("2.3-cann8").add("2.2"))
                .put("framework", "MindSpore")
                .put("device", "ascend");
        long id = added(root, "images", mindspore);
        assertThat(names(bob, "images", "q=cann")).containsExactly("MindSpore 2.3");
        assertThat(names(bob, "images", "kind=ascend")).contains("MindSpore 2.3");
        assertThat(names(bob, "images", "kind=nvidia")).doesNotContain("MindSpore 2.3");
        assertThat(FileDesk.text(bob.get("/images/" + id)))
                .contains("registry.example.org/lab/mindspore:2.3-cann8", "CANN 8");
        assertThat(FileDesk.text(bob.get("/jobs/new?image=" + id + "&tag=2.2")))
                .contains("uri: registry.example.org/lab/mindspore:2.2");
        assertThat(FileDesk.text(bob.get("/jobs/new?image=" + id)))
                .contains("uri: registry.example.org/lab/mindspore:2.3-cann8");
        for (String wrong : List.of("UPPER/x", "x:1", "http://x/y", "x/../y", "")) {
            var refused = sent(bob, "POST", "/api/v2/images", mindspore.copy().put("repository", wrong));
            assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
        }
        assertThat(sent(bob, "POST", "/api/v2/images", mindspore.copy().put("device", "tpu"))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void one_click_makes_a_job_of_a_dataset_that_says_all_it_needs() {
        sent(
                root,
                "PUT",
                "/api/v2/shares/birdsong",
                new JsonObject().put("readers", new JsonArray().add("default")).put("everywhere", false));
        long asked = added(root, "datasets", dataset("Bird song", "/mnt/birdsong/it's \"one\"", "default"));
        assertThat(page(ada, "/jobs/new?dataset=" + asked))
                .contains("- name: birdsong", "du -sh '/mnt/birdsong/it'\\''s \"one\"'", "name: Bird-song");
        long store = added(root, "datasets", dataset("Far & away", "s3://lab/far/", "default"));
        assertThat(page(ada, "/jobs/new?dataset=" + store))
                .contains("from: s3://lab/far/", "name: far_away", "$SLUICE_INPUT_FAR_AWAY");
    }

    /** As a reader sees it. */
    private static String page(FileDesk desk, String path) {
        return FileDesk.text(desk.get(path))
                .replace("&#34;", "\"")
                .replace("&#39;", "'")
                .replace("&lt;", "<")
                .replace("&amp;", "&");
    }
}
