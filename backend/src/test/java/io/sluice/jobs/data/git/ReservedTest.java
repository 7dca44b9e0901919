package io.sluice.jobs.data.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.jobs.data.care.Room;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Room for packs whose length nobody tells. */
class ReservedTest {
    private static final long MIB = 1 << 20;

    private final AtomicLong free = new AtomicLong(100 * MIB);
    private final AtomicLong came = new AtomicLong();
    private final Room room = new Room(free::get);

    private Reserved reserved() throws IOException {
        return new Reserved(
                (bytes, left) -> room.promise(1, bytes, left), came::set, Wanted.of("https://a.example/x.git"));
    }

    @Test
    void others_are_promised_neither_what_a_pack_fills_nor_what_it_is_unpacked_to() throws IOException {
        Reserved pack = reserved();
        pack.have(0, MIB);
        assertThat(room.bytes(2)).isEqualTo(96 * MIB);
        pack.have(10 * MIB, MIB);
        free.addAndGet(-10 * MIB);
        assertThat(came).hasValue(10 * MIB);
        assertThat(room.bytes(2)).as("of 21 MiB, once more").isEqualTo(90 * MIB - 32 * MIB);
        pack.end();
        assertThat(room.bytes(2)).isEqualTo(90 * MIB);
    }

    @Test
    void a_pack_that_grows_into_what_others_are_promised_is_refused() throws IOException {
        Reserved pack = reserved();
        pack.have(0, MIB);
        assertThat(room.promise(2, 90 * MIB, () -> 90 * MIB)).isTrue();
        assertThatThrownBy(() -> pack.have(4 * MIB, MIB))
                .hasMessageContaining("no room for the pack of https://a.example/x.git, of which 4 MiB have come");
    }

    @Test
    void a_small_repository_needs_little() throws IOException {
        free.set(5 * MIB);
        reserved().have(1_000, 1_000);
        assertThat(room.bytes(2)).isPositive();
    }
}
