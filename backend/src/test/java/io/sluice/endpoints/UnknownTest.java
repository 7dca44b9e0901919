package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class UnknownTest {
    private final AtomicLong now = new AtomicLong();
    private final Keeper.Unknown unknown = new Keeper.Unknown(now::get);

    @Test
    void a_name_is_nobodys_for_a_second() {
        assertThat(unknown.holds("a")).isFalse();
        unknown.add("a");
        assertThat(unknown.holds("a")).isTrue();
        now.set(Keeper.Unknown.KEPT_NANOS);
        assertThat(unknown.holds("a")).isFalse();
    }

    @Test
    void however_many_names_are_asked_for_no_more_are_kept() {
        for (int i = 0; i <= Keeper.Unknown.MOST; i++) {
            unknown.add("a" + i);
        }
        assertThat(unknown.holds("a0")).isFalse();
        assertThat(unknown.holds("a" + Keeper.Unknown.MOST)).isTrue();
    }
}
