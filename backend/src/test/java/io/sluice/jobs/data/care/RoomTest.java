package io.sluice.jobs.data.care;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What of a disk is promised to whom. */
class RoomTest {
    private final AtomicLong free = new AtomicLong(100);
    private final AtomicLong left = new AtomicLong(60);
    private final Room room = new Room(free::get);

    @Test
    void what_is_promised_to_one_is_nobody_elses() throws IOException {
        assertThat(room.promise(1, 60, left::get)).isTrue();
        assertThat(room.bytes(1)).isEqualTo(100);
        assertThat(room.bytes(2)).isEqualTo(40);
        assertThat(room.promise(2, 41, () -> 41)).isFalse();
        assertThat(room.promise(2, 40, () -> 40)).isTrue();
    }

    @Test
    void what_has_come_is_not_counted_twice() throws IOException {
        room.promise(1, 60, left::get);
        free.set(50);
        left.set(10);
        assertThat(room.bytes(2)).isEqualTo(40);
    }

    @Test
    void what_has_ended_needs_nothing() throws IOException {
        room.promise(1, 60, left::get);
        room.end(1);
        assertThat(room.promise(2, 100, () -> 100)).isTrue();
    }

    @Test
    void a_disk_that_others_have_filled_has_none() throws IOException {
        room.promise(1, 60, left::get);
        free.set(20);
        assertThat(room.bytes(2)).isZero();
    }
}
