package io.sluice.jobs.data.care;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private final ArrayDeque<Runnable> atWork = new ArrayDeque<>();
    private final List<String> begun = new ArrayList<>();
    private final Slots slots = new Slots(3, 2, atWork::add);

    private void take(long user, String errand) {
        slots.take(user, () -> begun.add(errand));
    }

    private void next() {
        atWork.remove().run();
    }

    @Test
    void one_persons_errands_leave_room_for_another() {
        for (int i = 0; i < 5; i++) {
            take(1, "large " + i);
        }
        assertThat(atWork).hasSize(2);
        take(2, "small");
        assertThat(atWork).hasSize(3);
    }

    @Test
    void who_has_the_fewest_comes_next() {
        take(1, "a");
        take(1, "b");
        take(2, "c");
        take(1, "d");
        take(2, "e");
        take(3, "f");
        next();
        next();
        next();
        next();
        assertThat(begun).containsExactly("a", "b", "c", "f");
    }

    @Test
    void all_that_wait_have_their_turn() {
        for (int i = 0; i < 20; i++) {
            take(i % 2, "" + i);
        }
        while (!atWork.isEmpty()) {
            next();
        }
        assertThat(begun).hasSize(20);
    }

    @Test
    void what_fails_gives_its_place_back() {
        slots.take(1, () -> {
            throw new IllegalStateException("failed");
        });
        take(1, "a");
        take(1, "b");
        assertThatThrownBy(this::next).hasMessage("failed");
        assertThat(atWork).hasSize(2);
    }

    @Test
    void nobody_is_taken_who_comes_after_the_end() {
        slots.close();
        assertThatThrownBy(() -> take(1, "late")).isInstanceOf(RejectedExecutionException.class);
    }
}
