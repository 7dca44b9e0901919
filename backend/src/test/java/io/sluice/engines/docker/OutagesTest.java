package io.sluice.engines.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Engine.Unavailable;
import io.sluice.engines.docker.Outages.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of what ends while an engine is away: what may have been ended with it, and what has ended by itself. */
class OutagesTest {

    private final Instant now = Instant.now();
    private final Instant early = now.minusSeconds(9000);

    @TempDir
    private Path folder;

    private Outages outages(Answer answer) throws IOException {
        return new Outages(folder, since -> answer);
    }

    private Instant ago(int seconds) {
        return now.minusSeconds(seconds);
    }

    @Test
    void an_engine_that_only_was_not_heard_has_ended_nothing() throws IOException {
        var outages = outages(Answer.SAME);
        outages.began(ago(60));
        assertThat(outages.have(true, early, ago(59))).isFalse();
        outages.heard();
        assertThat(folder.resolve("outages")).doesNotExist();
    }

    @Test
    void what_ends_as_the_engine_stops_or_begins_again_may_have_been_ended_whatever_its_code() throws IOException {
        var outages = outages(Answer.BEGAN_ANEW);
        outages.began(ago(600));
        assertThat(outages.have(false, early, ago(599))).isTrue();
        assertThat(outages.have(false, early, ago(1))).isTrue();
        // it was dead then
        assertThat(outages.have(false, early, ago(300))).isFalse();
        assertThat(outages.have(true, early, ago(300))).isTrue();
        // before, and of what was started since
        assertThat(outages.have(true, early, ago(700))).isFalse();
        assertThat(outages.have(false, now.plusSeconds(2), now.plusSeconds(3))).isFalse();
    }

    @Test
    void an_engine_that_lets_tasks_go_on_has_ended_none_that_gave_a_code_of_its_own() throws IOException {
        var outages = outages(Answer.TASKS_WENT_ON);
        outages.began(ago(60));
        assertThat(outages.have(false, early, ago(59))).isFalse();
        assertThat(outages.have(true, early, ago(59))).isTrue();
    }

    @Test
    void that_it_was_stopped_is_known_also_when_no_gateway_was_there() throws IOException {
        outages(Answer.SAME).heard();
        Files.setLastModifiedTime(folder.resolve("heard"), FileTime.from(ago(600)));
        var later = outages(Answer.BEGAN_ANEW);
        assertThat(later.have(false, early, ago(300))).isTrue();
        assertThat(later.have(false, early, ago(700))).isFalse();
        // and by the gateway after that one
        assertThat(outages(Answer.SAME).have(false, early, ago(300))).isTrue();
    }

    @Test
    void it_is_not_settled_before_the_engine_answers() throws IOException {
        var answers = new boolean[1];
        var outages = new Outages(folder, since -> {
            if (!answers[0]) {
                throw new Unavailable("away", null);
            }
            return Answer.BEGAN_ANEW;
        });
        outages.began(ago(60));
        assertThatThrownBy(() -> outages.have(false, early, ago(59))).isInstanceOf(Unavailable.class);
        answers[0] = true;
        assertThat(outages.have(false, early, ago(59))).isTrue();
    }
}
