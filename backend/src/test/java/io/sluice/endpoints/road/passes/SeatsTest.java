package io.sluice.endpoints.road.passes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeatsTest {
    @Test
    void one_user_leaves_some_for_the_others_and_all_together_have_no_more_than_there_are() {
        var seats = new Seats(3, 2);
        assertThat(seats.take("ann")).isTrue();
        assertThat(seats.take("ann")).isTrue();
        assertThat(seats.take("ann")).isFalse();
        assertThat(seats.take("bob")).isTrue();
        assertThat(seats.take("eve")).isFalse();
        seats.leave("ann");
        assertThat(seats.take("bob")).isTrue();
        assertThat(seats.take("ann")).isFalse();
    }

    @Test
    void who_has_left_is_forgotten() {
        var seats = new Seats(1, 1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(seats.take("user" + i)).isTrue();
            assertThat(seats.take("other")).isFalse();
            seats.leave("user" + i);
        }
        assertThat(seats.users()).isZero();
    }
}
