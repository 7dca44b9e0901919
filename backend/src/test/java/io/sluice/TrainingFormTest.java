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
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The form of ModelArts' kind, from what is typed to what the script has found, on devices that do not exist. */
@Timeout(120)
class TrainingFormTest {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final Pattern TEXT =
            Pattern.compile("<textarea[^>]*name=\"text\"[^>]*>\\n?(.*?)</textarea>", Pattern.DOTALL);

    /** As ModelArts' tutorial of MindSpore has it: arguments, variables of the card, data in, a checkpoint out. */
    private static final String SCRIPT = """
            import argparse, os
            parser = argparse.ArgumentParser()
            parser.add_argument("--data_url", required=True)
            parser.add_argument("--train_url", required=True)
            parser.add_argument("--epochs", type=int, default=1)
            parser.add_argument("--title", default="")
            parser.add_argument("--amp", action="store_true")
            args, unknown = parser.parse_known_args()
            device, rank, size = (int(os.getenv(name)) for name in ("DEVICE_ID", "RANK_ID", "RANK_SIZE"))
            pictures = sorted(os.listdir(args.data_url))
            print(f"rank {rank} of {size} on device {device}: {args.epochs} epochs of {pictures}, {unknown}", flush=True)
            with open(os.path.join(args.train_url, f"checkpoint-{rank}.ckpt"), "w") as checkpoint:
                checkpoint.write(f"{device} {size} {args.title} {args.amp}")
            """;

    @TempDir
    private static Path data;

    private static TestServer server;
    private static Crowd crowd;
    private static FileDesk ada;
    private static long engine;

    @BeforeAll
    static void start() throws IOException {
        server = new TestServer(data, "--allow-shared-process-engine", "--simulate-devices", "4xAscend910B");
        crowd = new Crowd(server.vertx(), server.database(), server.address());
        ada = new FileDesk(server, crowd, data, "ada");
        var image = new JsonObject()
                .put("name", "Ascend-Powered-Engine")
                .put("repository", "lab/mindspore")
                .put("tags", new JsonArray().add("MindSpore-2.3").add("MindSpore-2.2"))
                .put("framework", "MindSpore")
                .put("device", "ascend");
        var root = new FileDesk(server, crowd, data, crowd.person("trainroot", true));
        var added = root.send(
                "POST", "/api/v2/images", BodyPublishers.ofString(image.encode()), "Content-Type", "application/json");
        assertThat(added.statusCode()).isEqualTo(201);
        engine = new JsonObject(FileDesk.text(added)).getLong("id");
        assertThat(ada.get(ada.files("")).statusCode()).isEqualTo(200);
        Files.createDirectories(data.resolve("gdata").resolve("mnist"));
        Files.writeString(data.resolve("gdata").resolve("mnist").resolve("train-images"), "…");
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static HttpResponse<byte[]> form(String path, String... fields) {
        var body = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            body.append(i == 0 ? "" : "&").append(fields[i]).append('=').append(FileDesk.coded(fields[i + 1]));
        }
        return ada.send("POST", path, BodyPublishers.ofString(body.toString()), "Content-Type", FORM);
    }

    private static String plain(String page) {
        return page.replace("&#34;", "\"")
                .replace("&#39;", "'")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    /** The job file that the page which follows shows. */
    private static String written(HttpResponse<byte[]> answer) {
        assertThat(answer.statusCode()).as(FileDesk.text(answer)).isEqualTo(201);
        var text = TEXT.matcher(FileDesk.text(answer));
        assertThat(text.find()).isTrue();
        return plain(text.group(1));
    }

    @Test
    void the_tutorials_script_runs_on_every_card_and_leaves_what_it_has_learnt() throws IOException {
        assertThat(ada.post(ada.files("/folder?path=code")).statusCode()).isEqualTo(201);
        assertThat(ada.put(ada.files("/content?path=code/train.py"), SCRIPT).statusCode() / 100)
                .isEqualTo(2);
        assertThat(FileDesk.text(ada.get("/jobs/train?image=" + engine)))
                .contains("4 × Ascend910B", "value=\"" + engine + ":MindSpore-2.3\" selected", "1 × Ascend910B");
        var answer = form(
                "/jobs/train",
                "name",
                "my first model",
                "engine",
                engine + ":MindSpore-2.2",
                "code",
                "/userhome/code",
                "boot",
                "train.py",
                "data_url",
                "/gdata/mnist",
                "train_url",
                "/userhome/runs/it's new",
                "parameter",
                "epochs",
                "value",
                "3",
                "parameter",
                "title",
                "value",
                "$(id) \"and\" it's\r\nso",
                "parameter",
                "--amp",
                "value",
                "",
                "parameter",
                "",
                "value",
                "",
                "flavor",
                "Ascend910B*2",
                "nodes",
                "1",
                "processes",
                "auto");
        String job = written(answer);
        assertThat(job)
                .contains("name: my-first-model", "uri: lab/mindspore:MindSpore-2.2", "gpu: 2", "launcher: card");
        var submitted = form("/jobs/new", "text", job);
        assertThat(submitted.headers().firstValue("Location")).contains("/jobs/ada~my-first-model");
        DoorDesk.until("it has ended", () -> state().matches("SUCCEEDED|FAILED|STOPPED"));
        assertThat(state()).as(log()).isEqualTo("SUCCEEDED");
        for (int rank = 0; rank < 2; rank++) {
            assertThat(data.resolve("homes/ada/runs/it's new/checkpoint-" + rank + ".ckpt"))
                    .hasContent(rank + " 2 $(id) \"and\" it's\nso True");
        }
        assertThat(log()).contains("rank 0 of 2 on device 0: 3 epochs of ['train-images'], []");
    }

    private static String state() {
        return new JsonObject(FileDesk.text(ada.get("/api/v2/jobs/ada~my-first-model")))
                .getJsonObject("jobStatus")
                .getString("state");
    }

    private static String log() {
        return FileDesk.text(
                ada.get("/api/v2/jobs/ada~my-first-model/attempts/0/taskRoles/main/taskIndex/0/attempts/0/log"));
    }

    @Test
    void what_is_wrong_is_told_beside_what_was_typed_and_more_rows_keep_it() {
        var refused = form(
                "/jobs/train",
                "code",
                "/etc",
                "boot",
                "../x",
                "flavor",
                "TPU*1",
                "parameter",
                "a b",
                "value",
                "kept & safe",
                "nodes",
                "none");
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(plain(FileDesk.text(refused)))
                .contains(
                        "Write a folder that jobs see",
                        "Name a .py or .sh file",
                        "There is no such flavor any more",
                        "Choose an engine, or name an image",
                        "A name begins with a letter",
                        "From 1 to 1,000.",
                        "value=\"kept & safe\"");
        var more = form("/jobs/train", "more", "1", "code", "/userhome/x", "parameter", "lr", "value", "0.1");
        assertThat(more.statusCode()).isEqualTo(422);
        assertThat(FileDesk.text(more))
                .contains("value=\"/userhome/x\"", "value=\"0.1\"")
                .doesNotContain("class=\"fault\"");
        assertThat(FileDesk.text(more).split("name=\"parameter\"", -1)).hasSize(9);
    }

    @Test
    void an_engine_for_other_devices_is_written_down_with_a_warning() {
        var answer = form(
                "/jobs/train",
                "engine",
                engine + ":MindSpore-2.3",
                "code",
                "/userhome/code",
                "boot",
                "train.py",
                "flavor",
                "cpu*1");
        assertThat(written(answer)).doesNotContain("launcher");
        assertThat(FileDesk.text(answer)).contains("made for other devices", "notice warning");
        var another = form(
                "/jobs/train",
                "image",
                "pytorch/pytorch:2.6",
                "engine",
                "",
                "code",
                "/data/x",
                "boot",
                "x.py",
                "flavor",
                "Ascend910B*1");
        assertThat(written(another)).contains("uri: pytorch/pytorch:2.6", "name: x");
        assertThat(form("/jobs/train", "image", "a b", "code", "/data/x", "boot", "x.py", "flavor", "cpu*1")
                        .statusCode())
                .isEqualTo(422);
    }
}
