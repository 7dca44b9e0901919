package io.sluice.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.database.TestDatabase;
import io.sluice.files.quota.Quotas;
import io.sluice.files.shares.Share;
import io.sluice.files.shares.Shares;
import io.sluice.identity.Identity;
import io.sluice.identity.grants.Grants;
import io.sluice.identity.numbers.Numbers;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Homes on a real disk, with numbers out of a real database. */
class HomesTest {
    private static final Numbers.Range RANGE = new Numbers.Range(200_000, 200_002);

    private static Vertx vertx;
    private static TestDatabase database;

    @TempDir
    private Path data;

    private io.sluice.files.Files files;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        database.database().migrate(List.of(Identity.MIGRATIONS)).await();
    }

    @AfterAll
    static void close() {
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void empty() {
        assumeThat(System.getProperty("user.name"))
                .as("only root gives folders away")
                .isEqualTo("root");
        database.database().pool().query("DELETE FROM user_numbers").execute().await();
        files = gateway();
    }

    private io.sluice.files.Files gateway() {
        return io.sluice.files.Files.open(
                data,
                new Numbers(database.database(), RANGE),
                new Shares(database.database(), new Grants(database.database(), "people")),
                new Quotas(database.database(), Quotas.Settings.NONE));
    }

    private static long person(String name) {
        return database.database()
                .pool()
                .preparedQuery("INSERT INTO users (name, password, deleted) VALUES ($1, '', now()) RETURNING id")
                .execute(Tuple.of(name))
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void each_person_has_a_home_of_a_user_id_of_their_own_and_keeps_it() throws IOException {
        long ann = person("ann");
        var home = files.home(ann, "ann");
        var other = files.home(person("bob"), "bob");
        assertThat(owner(home)).isBetween(200_000, 200_002).isNotEqualTo(owner(other));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home)))
                .isEqualTo("rwx------");
        int before = owner(home);
        assertThat(owner(gateway().home(ann, "ann"))).isEqualTo(before);
    }

    @Test
    void two_gateways_that_ask_at_once_agree_and_never_give_a_number_twice() throws Exception {
        long one = person("one");
        long two = person("two");
        var asked = List.of(one, two, one, two).stream()
                .map(who -> CompletableFuture.supplyAsync(() -> new Numbers(database.database(), RANGE)
                        .of(who)
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join()))
                .toList();
        assertThat(asked.get(0).get()).isEqualTo(asked.get(2).get());
        assertThat(asked.get(1).get())
                .isEqualTo(asked.get(3).get())
                .isNotEqualTo(asked.get(0).get());
    }

    @Test
    void when_all_numbers_are_given_away_it_says_how_to_have_more() throws IOException {
        for (var name : List.of("p1", "p2", "p3")) {
            files.home(person(name), name);
        }
        long late = person("late");
        assertThatThrownBy(() -> files.home(late, "late"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("--user-ids");
    }

    @Test
    void a_home_from_before_is_given_to_its_person_with_all_that_the_gateway_owns_in_it() throws IOException {
        var home = Files.createDirectories(data.resolve("homes/ann/deep"));
        Files.writeString(home.resolve("file"), "mine");
        Files.createSymbolicLink(home.resolve("link"), Path.of("/etc/hostname"));
        var strange = Files.writeString(home.resolve("strange"), "x");
        Files.setAttribute(strange, "unix:uid", 4711);
        int etc = owner(Path.of("/etc/hostname"));
        int own = owner(files.home(person("ann"), "ann"));
        assertThat(List.of(owner(data.resolve("homes/ann")), owner(home), owner(home.resolve("file"))))
                .containsOnly(own);
        assertThat(owner(strange)).isEqualTo(4711);
        assertThat(owner(Path.of("/etc/hostname"))).isEqualTo(etc);
    }

    @Test
    void what_a_task_swaps_for_a_link_meanwhile_gives_away_nothing_outside() throws Exception {
        var outside = Files.createDirectories(data.resolve("outside"));
        var mine = IntStream.range(0, 50).mapToObj(i -> "f" + i).toList();
        for (var name : mine) {
            Files.createFile(outside.resolve(name));
        }
        var home = Files.createDirectories(data.resolve("homes/ann"));
        var real = Files.createDirectories(home.resolve("swapped"));
        var hidden = home.resolve("hidden");
        var link = Files.createSymbolicLink(home.resolve("link"), outside);
        var over = new AtomicBoolean();
        var swaps = new AtomicInteger();
        var task = CompletableFuture.runAsync(() -> swap(real, hidden, link, mine, over, swaps));
        for (int i = 0; (i < 100 || swaps.get() < 100) && !task.isDone(); i++) {
            try {
                Handover.give(home, 200_000);
            } catch (FileSystemException caughtInBetween) {
                assertThat(caughtInBetween.getReason()).isNotNull();
            }
            Files.setAttribute(home, "unix:uid", 0);
        }
        over.set(true);
        task.get(20, TimeUnit.SECONDS);
        assertThat(owner(outside)).isZero();
        for (var name : mine) {
            assertThat(owner(outside.resolve(name))).as(name).isZero();
        }
    }

    /** The folder and the link to another take turns at the same name, and files come and go. */
    private static void swap(
            Path real, Path hidden, Path link, List<String> names, AtomicBoolean over, AtomicInteger swaps) {
        try {
            while (!over.get()) {
                for (var name : names) {
                    Files.createFile(real.resolve(name));
                }
                Files.move(real, hidden, StandardCopyOption.ATOMIC_MOVE);
                Files.move(link, real, StandardCopyOption.ATOMIC_MOVE);
                Files.move(real, link, StandardCopyOption.ATOMIC_MOVE);
                Files.move(hidden, real, StandardCopyOption.ATOMIC_MOVE);
                for (var name : names) {
                    Files.delete(real.resolve(name));
                }
                swaps.incrementAndGet();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void who_gets_the_name_of_somebody_who_was_deleted_does_not_get_their_files() throws IOException {
        var before = files.home(person("ann"), "ann");
        int gone = owner(before);
        Files.writeString(before.resolve("diary"), "secret");
        var after = gateway().home(person("ann"), "ann");
        assertThat(after).isEmptyDirectory();
        assertThat(owner(after)).isNotEqualTo(gone);
        assertThat(data.resolve("homes-left/ann." + gone).resolve("diary")).hasContent("secret");
    }

    @Test
    void a_home_that_an_administrator_gave_to_somebody_whom_the_machine_knows_stays_theirs() throws IOException {
        var home = Files.createDirectories(data.resolve("homes/ann"));
        Files.setAttribute(home, "unix:uid", 4711);
        assertThat(owner(files.home(person("ann"), "ann"))).isEqualTo(4711);
    }

    @Test
    void a_home_that_is_a_link_is_not_followed() throws IOException {
        var elsewhere = Files.createDirectories(data.resolve("elsewhere"));
        Files.createDirectories(data.resolve("homes"));
        Files.createSymbolicLink(data.resolve("homes/ann"), elsewhere);
        files.home(person("ann"), "ann");
        assertThat(owner(elsewhere)).isZero();
    }

    @Test
    void what_is_shared_is_read_by_all_and_what_is_common_written_by_all() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.share(Share.DATASETS))))
                .isEqualTo("rwxr-xr-x");
        assertThat(Files.getAttribute(files.share(Share.COMMON), "unix:mode")).isEqualTo(041777);
        Files.setPosixFilePermissions(files.share(Share.DATASETS), PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(files.share(Share.DATASETS))))
                .isEqualTo("rwxr-x---");
    }
}
