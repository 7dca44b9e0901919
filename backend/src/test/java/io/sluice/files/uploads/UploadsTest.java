package io.sluice.files.uploads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Bin;
import io.sluice.files.space.Space;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of uploads on the disk, as the next gateway finds it. */
class UploadsTest {
    private static final Place PLACE = Place.of("in/file");

    @TempDir
    private Path home;

    private Uploads gateway() {
        return new Uploads(new Space(home, Owner.GATEWAY, true));
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void another_gateway_goes_on_where_one_was_killed() throws IOException {
        Upload begun = gateway().begin(PLACE, 6, false);
        try (Taking taking = gateway().take(begun, false)) {
            taking.write(bytes("abc"));
        }
        Upload found = gateway().find(begun.id());
        assertThat(found.offset()).isEqualTo(3);
        try (Taking taking = gateway().take(found, false)) {
            taking.write(bytes("def"));
        }
        assertThat(home.resolve("in")).doesNotExist();
        gateway().finish(found.id());
        assertThat(home.resolve("in/file")).hasContent("abcdef");
        assertThat(gateway().find(begun.id()).isWhole()).isTrue();
    }

    @Test
    void what_was_being_checked_when_the_gateway_was_killed_has_not_come() throws IOException {
        Upload begun = gateway().begin(PLACE, 6, false);
        try (Taking taking = gateway().take(begun, true)) {
            taking.write(bytes("abc"));
        }
        Upload found = gateway().find(begun.id());
        assertThat(found.offset()).isZero();
        try (Taking taking = gateway().take(found, true)) {
            assertThat(taking.left()).isEqualTo(6);
            taking.write(bytes("uvwxyz"));
            gateway().believe(taking);
            gateway().finish(taking);
        }
        assertThat(home.resolve("in/file")).hasContent("uvwxyz");
    }

    @Test
    void what_came_as_a_whole_goes_to_its_place_though_the_gateway_that_took_it_was_killed() throws IOException {
        Upload begun = gateway().begin(PLACE, 3, false);
        try (Taking taking = gateway().take(begun, false)) {
            taking.write(bytes("abc"));
        }
        assertThat(gateway().find(begun.id()).placed()).isFalse();
        assertThat(gateway().finish(begun.id()).placed()).isTrue();
        assertThat(home.resolve("in/file")).hasContent("abc");
        assertThat(gateway().finish(begun.id()).placed()).isTrue();
    }

    @Test
    void what_went_to_its_place_with_a_gateway_s_last_breath_is_told_as_there() throws IOException {
        Upload begun = gateway().begin(PLACE, 3, false);
        try (Taking taking = gateway().take(begun, false)) {
            taking.write(bytes("abc"));
        }
        Files.createDirectory(home.resolve("in"));
        Files.move(home.resolve(".sluice/uploads").resolve(begun.id()).resolve("data"), home.resolve("in/file"));

        Upload found = gateway().finish(begun.id());

        assertThat(found.placed()).isTrue();
        assertThat(found.offset()).isEqualTo(3);
        assertThat(gateway().purge(System.currentTimeMillis() + 1_000, bytes -> {}))
                .isEqualTo(1);
        assertThat(home.resolve("in/file")).hasContent("abc");
    }

    @Test
    void whoever_knows_an_upload_as_it_was_takes_nothing_of_what_has_come_since() throws IOException {
        Upload stale = gateway().begin(PLACE, 6, false);
        try (Taking taking = gateway().take(stale, false)) {
            taking.write(bytes("abcd"));
        }
        assertThatThrownBy(() -> gateway().take(stale, false).close()).isInstanceOf(Refused.class);
        assertThat(gateway().find(stale.id()).offset()).isEqualTo(4);
        try (Taking taking = gateway().take(gateway().find(stale.id()), false)) {
            taking.write(bytes("ef"));
            gateway().finish(taking);
            assertThatThrownBy(() -> gateway().take(stale, false).close()).isInstanceOf(Refused.class);
        }
        assertThatThrownBy(() -> gateway().take(stale, false).close()).isInstanceOf(Refused.class);
        assertThat(home.resolve("in/file")).hasContent("abcdef");
    }

    @Test
    void what_has_gone_to_its_place_while_somebody_waited_for_its_lock_is_not_written_in() throws Exception {
        for (int round = 0; round < 30; round++) {
            Upload stale = gateway().begin(Place.of("in/" + round), 6, false);
            var second = new CompletableFuture<String>();
            Thread other = Thread.ofPlatform().start(() -> second.complete(tried(stale)));
            String first = tried(stale);
            other.join();
            // both may have been refused, for each met the other
            assertThat(List.of(first, second.join()).stream().filter("done"::equals))
                    .hasSizeLessThan(2);
            Path file = home.resolve("in/" + round);
            if (first.equals("done") || second.join().equals("done")) {
                assertThat(file).hasContent("abcdef");
            }
        }
    }

    private String tried(Upload stale) {
        try (Taking taking = gateway().take(stale, false)) {
            taking.write(bytes("abcdef"));
            gateway().finish(taking);
            return "done";
        } catch (Refused refused) {
            return "refused";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_piece_that_is_not_checked_goes_on_where_one_was_wrong() throws IOException {
        Upload begun = gateway().begin(PLACE, 6, false);
        try (Taking taking = gateway().take(begun, true)) {
            taking.write(bytes("wrong"));
        }
        try (Taking taking = gateway().take(gateway().find(begun.id()), false)) {
            taking.write(bytes("abcdef"));
            assertThat(gateway().finish(taking).placed()).isTrue();
        }
        assertThat(home.resolve("in/file")).hasContent("abcdef");
    }

    @Test
    void nobody_writes_what_somebody_is_writing() throws IOException {
        Upload begun = gateway().begin(PLACE, 6, false);
        try (Taking taking = gateway().take(begun, false)) {
            assertThatThrownBy(() -> gateway().take(begun, false).close()).isInstanceOf(Refused.class);
            taking.write(bytes("a"));
        }
    }

    @Test
    void what_its_owner_has_spoilt_is_no_upload() throws IOException {
        Upload begun = gateway().begin(PLACE, 6, false);
        Path slot = home.resolve(".sluice/uploads").resolve(begun.id());
        Files.writeString(slot.resolve("about"), "6\nfalse\n../../out");
        assertThatThrownBy(() -> gateway().find(begun.id())).isInstanceOf(Refused.class);
        Files.delete(slot.resolve("about"));
        Files.createSymbolicLink(slot.resolve("about"), Path.of("/etc/passwd"));
        assertThatThrownBy(() -> gateway().find(begun.id())).isInstanceOf(Refused.class);
        for (String id : new String[] {"..", "../..", "", "0".repeat(28)}) {
            assertThatThrownBy(() -> gateway().find(id)).isInstanceOf(Refused.class);
        }
    }

    @Test
    void what_nobody_goes_on_with_goes_and_what_is_deleted_too() throws IOException {
        var space = new Space(home, Owner.GATEWAY, true);
        Upload old = gateway().begin(PLACE, 6, false);
        Upload fresh = gateway().begin(PLACE, 6, false);
        Path data = home.resolve(".sluice/uploads").resolve(old.id()).resolve("data");
        Files.setLastModifiedTime(
                data, FileTime.from(Instant.now().minus(Uploads.LIFE).minusSeconds(1)));
        Files.writeString(home.resolve("gone"), "x");
        new Bin(space).put(Place.of("gone"));
        long now = System.currentTimeMillis();

        assertThat(gateway().purge(now - Uploads.LIFE.toMillis(), bytes -> {})).isEqualTo(1);
        assertThat(gateway().find(fresh.id()).length()).isEqualTo(6);
        assertThatThrownBy(() -> gateway().find(old.id())).isInstanceOf(Refused.class);
        assertThat(new Bin(space).purge(now - 1_000, bytes -> {})).isZero();
        assertThat(new Bin(space).list()).hasSize(1);
        assertThat(new Bin(space).purge(now + 1_000, bytes -> {})).isEqualTo(1);
        assertThat(new Bin(space).list()).isEmpty();
    }
}
