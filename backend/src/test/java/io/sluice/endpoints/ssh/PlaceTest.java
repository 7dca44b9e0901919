package io.sluice.endpoints.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.Database;
import io.sluice.engines.Engine;
import org.junit.jupiter.api.Test;

class PlaceTest {
    private static final String OTHERWISE = "The task does not run, or has just ended.";

    @Test
    void what_keeps_a_guest_out_is_told_as_what_it_is() {
        assertThat(Place.why(new Place.Nowhere("Job x is not found"), OTHERWISE))
                .isEqualTo("Job x is not found");
        assertThat(Place.why(new Engine.Unavailable("Docker does not answer", null), OTHERWISE))
                .isEqualTo("Docker does not answer");
        assertThat(Place.why(new Database.Unavailable("late", null), OTHERWISE))
                .contains("database does not answer", "Try again")
                .doesNotContain("late");
        assertThat(Place.why(new IllegalStateException("x"), OTHERWISE)).isEqualTo(OTHERWISE);
    }
}
