package io.sluice.web.looks;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LooksTest {
    private long now;
    private final Looks<String, String> looks = new Looks<>(Duration.ofNanos(100), () -> now);
    private final List<Promise<String>> asked = new ArrayList<>();

    private Future<String> look(String what) {
        return looks.at(what, () -> {
            Promise<String> answer = Promise.promise();
            asked.add(answer);
            return answer.future();
        });
    }

    @Test
    void all_who_come_while_somebody_looks_get_that_answer_and_so_does_who_comes_soon() {
        var first = look("a");
        var second = look("a");
        now = 5;
        asked.getFirst().complete("one");
        now = 104;
        assertThat(List.of(first.result(), second.result(), look("a").result())).containsOnly("one");
        assertThat(asked).hasSize(1);
    }

    @Test
    void what_is_older_is_looked_at_again_and_another_thing_for_itself() {
        look("a");
        asked.getFirst().complete("one");
        look("b");
        assertThat(asked).hasSize(2);
        now = 100;
        assertThat(look("a").isComplete()).isFalse();
        assertThat(asked).hasSize(3);
    }

    @Test
    void what_takes_long_is_asked_for_less_often() {
        look("a");
        now = 50;
        asked.getFirst().complete("one");
        now = 549;
        look("a");
        assertThat(asked).hasSize(1);
        now = 550;
        look("a");
        assertThat(asked).hasSize(2);
    }

    @Test
    void no_answer_is_kept_that_is_none_or_that_is_known_to_be_old() {
        look("a");
        asked.getFirst().fail("away");
        look("a").onSuccess(told -> assertThat(told).isEqualTo("one"));
        asked.get(1).complete("one");
        looks.forget();
        look("a");
        assertThat(asked).hasSize(3);
    }
}
