package io.sluice.jobs.data.back;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BroughtTest {
    private static final int MANY = 200_000;

    private final Brought brought = new Brought();

    @Test
    void a_file_is_known_by_its_path_and_version() {
        brought.add("train_url/a", "1");
        assertThat(brought.has("train_url/a", "1")).isTrue();
        assertThat(brought.has("train_url/a", "2")).isFalse();
        assertThat(brought.has("train_url/b", "1")).isFalse();
    }

    @Test
    void many_are_all_known_and_counted_once() {
        for (int i = 0; i < MANY; i++) {
            brought.add("train_url/" + i, "1");
            brought.add("train_url/" + i, "1");
        }
        assertThat(brought.count()).isEqualTo(MANY);
        for (int i = 0; i < MANY; i++) {
            assertThat(brought.has("train_url/" + i, "1")).isTrue();
        }
    }

    @Test
    void versions_that_are_no_more_are_forgotten() {
        brought.add("a", "1");
        var now = new Brought();
        now.add("a", "2");
        brought.become(now);
        assertThat(brought.has("a", "1")).isFalse();
        assertThat(brought.has("a", "2")).isTrue();
        assertThat(brought.count()).isOne();
    }
}
