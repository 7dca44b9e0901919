package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.stores.AccessKey;
import io.sluice.jobs.data.ObjectServer;
import io.sluice.jobs.data.Transfer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stores that look at how each request is signed, with the bucket in the path and in the name of the host. */
class DataSignedIT extends AtStores {
    private static final AccessKey FORGED = new AccessKey(ObjectServer.KEY.id(), "another");
    private static final List<String> ODD = List.of(
            "a b",
            "a+b",
            "100%",
            "%41%2F",
            "é ü 数据",
            "~tilde",
            "=&;@:,!$'()*#?",
            "[\"<quoted>\"]",
            "deep dir+%20/~é/it's");

    @ParameterizedTest(name = "{0}")
    @CsvSource({"inpath, http://127.0.0.1, /lab", "inhost, http://{bucket}.s3.localhost, ''"})
    void objects_with_odd_names_come_and_go(String name, String address, String path) throws IOException {
        use(objects.stores(address, ""));
        for (String odd : ODD) {
            objects.put(name + "/from/" + odd, odd.getBytes(StandardCharsets.UTF_8));
        }
        var seen = new AtomicBoolean();
        objects.when("GET " + path + "/" + name + "/from/", () -> seen.set(true));
        desk.submit("ada", input(name, "s3://lab/" + name + "/from"));
        String run = desk.running(1).getFirst();
        assertThat(seen).isTrue();
        for (String odd : ODD) {
            assertThat(input(name).resolve(odd)).hasContent(odd);
        }
        engine.end(run, 0);
        desk.finished("ada", name);
        goesBack(name + "-back");
    }

    private void goesBack(String name) throws IOException {
        desk.submit("ada", output(name, "s3://lab/" + name));
        String run = desk.running(1).getFirst();
        for (String odd : ODD) {
            Path file = output(name).resolve(odd);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, odd);
        }
        engine.end(run, 0);
        assertThat(desk.finished("ada", name).state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(data(name)).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.DONE);
            assertThat(one.files()).isEqualTo(ODD.size());
        });
        for (String odd : ODD) {
            assertThat(objects.content(name + "/" + odd)).asString().isEqualTo(odd);
        }
    }

    @Test
    void another_secret_fails_the_job_that_would_fetch() {
        key("ada", FORGED);
        objects.put("sealed/a", bytes(10, 1));
        desk.submit("ada", input("forged", "s3://lab/sealed"));
        assertThat(failure("forged")).contains("its secret is another (SignatureDoesNotMatch)", "profile page");
    }

    @Test
    void another_secret_keeps_what_would_be_brought_back() throws IOException {
        desk.submit("ada", output("kept", "s3://lab/kept"));
        String run = desk.running(1).getFirst();
        Path file = Files.write(output("kept").resolve("model"), bytes(10, 5));
        key("ada", FORGED);
        engine.end(run, 0);
        var job = desk.finished("ada", "kept");
        assertThat(job.state()).isEqualTo(Job.State.SUCCEEDED);
        assertThat(desk.reasons(job)).contains("DataNotBroughtBack");
        assertThat(data("kept")).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(Transfer.State.FAILED);
            assertThat(one.message()).contains("SignatureDoesNotMatch", "kept in /output");
        });
        assertThat(objects.content("kept/model")).isNull();
        assertThat(file).hasBinaryContent(bytes(10, 5));
    }

    @Test
    void a_store_of_another_region_is_told_as_such() {
        use(objects.stores("http://127.0.0.1", "?region=eu-west-1"));
        objects.put("sealed/a", bytes(10, 1));
        desk.submit("ada", input("region", "s3://lab/sealed"));
        assertThat(failure("region")).contains("region eu-west-1", "your administrator", "?region=");
    }
}
