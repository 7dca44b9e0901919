package io.sluice.jobs.data.care;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.database.Database;
import io.sluice.files.stores.StoreFault;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CareTest {
    private static final Pace HASTY = new Pace(3, Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(1));

    private final AtomicInteger again = new AtomicInteger();
    private final Care care = new Care(HASTY, again::incrementAndGet);
    private final AtomicInteger tries = new AtomicInteger();

    @Test
    void a_database_that_stumbles_is_asked_again() throws IOException {
        String answer = care.of(() -> {
            if (tries.incrementAndGet() < 3) {
                throw new Database.Unavailable("It does not answer.");
            }
            return "here";
        });
        assertThat(answer).isEqualTo("here");
        assertThat(again).hasValue(2);
    }

    @Test
    void what_would_fail_again_is_not_tried_again() {
        assertThatThrownBy(() -> care.of(() -> {
                    tries.incrementAndGet();
                    throw new StoreFault(StoreFault.Why.CREDENTIALS, "no");
                }))
                .isInstanceOf(StoreFault.class);
        assertThat(tries).hasValue(1);
    }

    @Test
    void what_stays_away_fails_after_as_many_tries_as_there_are() {
        assertThatThrownBy(() -> care.of(() -> {
                    tries.incrementAndGet();
                    throw new StoreFault(StoreFault.Why.AWAY, "away");
                }))
                .isInstanceOf(StoreFault.class);
        assertThat(tries).hasValue(HASTY.tries());
    }
}
