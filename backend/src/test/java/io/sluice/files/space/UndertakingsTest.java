package io.sluice.files.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Undertakings.Hearing;
import io.sluice.files.space.Undertakings.State;
import io.sluice.files.space.Undertakings.Undertaking;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What takes long, as one gateway tells another. */
class UndertakingsTest {
    private static final String ID = "0123456789abcdef0123456789ab";

    private static final Duration SILENCE = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    @Test
    void what_is_stopped_is_found_stopped_and_begins_anew_as_if_it_had_not_been() throws IOException {
        var here = new Undertakings(new Space(home, Owner.of(home), true));
        var there = new Undertakings(new Space(home, Owner.of(home), true));
        assertThatThrownBy(() -> there.stop(ID)).isInstanceOf(Refused.class);
        assertThat(here.begin(ID)).isNull();
        assertThat(here.isStopped(ID)).isFalse();
        there.stop(ID);
        there.stop(ID);
        assertThat(here.isStopped(ID)).isTrue();
        here.tell(ID, new Undertaking(State.FAILED, 0, 409, "StoppedError", "It was stopped."));
        assertThat(there.find(ID).code()).isEqualTo("StoppedError");
        assertThat(there.find(ID).message()).isEqualTo("It was stopped.");
        assertThat(there.begin(ID)).isNull();
        assertThat(there.isStopped(ID)).isFalse();
    }

    /** Another gateway comes between a look at the clock and what is done about it. */
    private Undertakings interrupted(ThrowingRunnable by) throws IOException {
        var once = new AtomicBoolean();
        InstantSource clock = () -> {
            if (once.compareAndSet(false, true)) {
                by.run();
            }
            return Instant.now();
        };
        return new Undertakings(
                new Space(home, Owner.of(home), true), new Hearing(clock, SILENCE, Duration.ofSeconds(2)));
    }

    @Test
    void of_two_gateways_that_find_that_something_broke_off_one_begins_it() throws IOException {
        var space = new Space(home, Owner.of(home), true);
        var other = new Undertakings(space);
        assertThat(other.begin(ID)).isNull();
        silence();
        List<Object> others = new ArrayList<>();
        var late = interrupted(() -> others.add(Optional.ofNullable(other.begin(ID))));

        assertThat(Objects.requireNonNull(late.begin(ID)).state()).isEqualTo(State.RUNNING);

        assertThat(others).as("the other has begun").containsExactly(Optional.empty());
        assertThat(other.find(ID).state()).isEqualTo(State.RUNNING);
        assertThat(home.resolve(".sluice/operations")).isDirectoryNotContaining("glob:**.taken");
    }

    private void silence() throws IOException {
        Files.setLastModifiedTime(
                home.resolve(".sluice/operations").resolve(ID),
                FileTime.from(Instant.now().minus(SILENCE)));
    }

    @Test
    void what_was_silent_for_too_long_tells_nothing_of_what_another_has_begun() throws IOException {
        var ahead = new AtomicLong();
        InstantSource clock = () -> Instant.now().plusSeconds(ahead.get());
        var undertakings = new Undertakings(
                new Space(home, Owner.of(home), true), new Hearing(clock, SILENCE, Duration.ofSeconds(2)));
        assertThat(undertakings.begin(ID)).isNull();
        var slow = new Running(undertakings, ID, true);
        ahead.set(40);
        slow.on(7);
        slow.beat();
        ahead.set(80);
        slow.on(0);
        assertThat(undertakings.find(ID)).isEqualTo(Undertaking.running(7));

        ahead.set(140);
        assertThat(undertakings.begin(ID)).as("another begins it").isNull();
        undertakings.tell(ID, new Undertaking(State.DONE, 0, 0, "", ""));
        slow.beat();
        slow.end(new Undertaking(State.FAILED, 0, 409, "ConflictError", "b is there already."));
        slow.forget();

        assertThat(undertakings.find(ID).state()).isEqualTo(State.DONE);
        assertThatThrownBy(() -> slow.on(1)).hasMessageContaining("silent");
    }

    /** As others are, but of files. */
    @FunctionalInterface
    private interface ThrowingRunnable {
        void runs() throws IOException;

        default void run() {
            try {
                runs();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
