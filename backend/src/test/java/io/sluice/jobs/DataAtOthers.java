package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.Transfer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The same with a store of somebody else's, run by hand where there is one: {@code -Dit.test=DataAtOthers -Dsluice.store=ADDRESS}, as {@code
 * --s3-stores} takes it, with {@code -Dsluice.store.bucket}, {@code .key} and {@code .secret}. What it leaves there begins with {@code sluice-}.
 */
class DataAtOthers {
    private static final int LARGE = 70 << 20;
    private static final List<String> ODD =
            List.of("a b", "a+b", "100%", "%41%2F", "é ü 数据", "~tilde", "=&;@:,!$'()#?", "deep dir+%20/~é/it's");

    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 0);
    private final String run = "sluice-" + UUID.randomUUID();
    private final String away =
            "s3://" + Objects.requireNonNull(System.getProperty("sluice.store.bucket", "lab")) + "/" + run;

    @RegisterExtension
    final Desk desk = new Desk(engine);

    @BeforeEach
    void store() {
        List<String> faults = new ArrayList<>();
        Stores stores = Stores.read("near=" + Objects.requireNonNull(System.getProperty("sluice.store")), faults);
        assertThat(faults).isEmpty();
        desk.leave();
        desk.open(desk.data(), stores);
        key(Objects.requireNonNull(System.getProperty("sluice.store.secret")));
    }

    private void key(String secret) {
        var key = new AccessKey(Objects.requireNonNull(System.getProperty("sluice.store.key")), secret);
        desk.jobs().stores().put(Desk.caller("ada"), "near", key).await();
    }

    private Transfer brought(String name) throws IOException {
        desk.submit("ada", AtStores.output(name, away));
        String task = desk.running(1).getFirst();
        Path output = desk.data().resolve("outputs/" + "ada".hashCode() + "/" + name + "/train_url");
        for (String odd : ODD) {
            Path file = output.resolve(odd);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, odd);
        }
        try (var large = new RandomAccessFile(output.resolve("large").toFile(), "rw")) {
            large.setLength(LARGE);
            large.write(AtStores.bytes(100_000, 1));
        }
        engine.end(task, 0);
        return desk.jobs().data(desk.finished("ada", name)).await().getFirst();
    }

    @Test
    void what_a_job_brings_to_it_another_gets_from_it_and_nothing_goes_twice() throws IOException {
        assertThat(brought("first")).satisfies(one -> {
            assertThat(one.message()).isNull();
            assertThat(one.state()).isEqualTo(Transfer.State.DONE);
            assertThat(one.files()).isEqualTo(ODD.size() + 1);
        });
        desk.submit("ada", AtStores.input("second", away));
        String task = desk.running(1).getFirst();
        for (String odd : ODD) {
            assertThat(desk.input("second", "data_url").resolve(odd)).hasContent(odd);
        }
        Path large = desk.input("second", "data_url").resolve("large");
        assertThat(large).hasSize(LARGE);
        try (var bytes = Files.newInputStream(large)) {
            assertThat(bytes.readNBytes(100_000)).isEqualTo(AtStores.bytes(100_000, 1));
        }
        engine.end(task, 0);
        desk.finished("ada", "second");
        assertThat(desk.query("SELECT count(*) FROM job_uploads")).isZero();
    }

    @Test
    void another_secret_is_told() {
        key("another");
        desk.submit("ada", AtStores.input("forged", away));
        assertThat(desk.notFetched("forged")).contains("its secret is another");
    }
}
