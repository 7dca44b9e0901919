package io.sluice.files.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Undertakings.State;
import io.sluice.files.space.Undertakings.Undertaking;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Refused;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What takes long, as one gateway tells another. */
class UndertakingsTest {
    private static final String ID = "0123456789abcdef0123456789ab";

    @TempDir
    private Path home;

    @Test
    void what_is_stopped_is_found_stopped_and_begins_anew_as_if_it_had_not_been() throws IOException {
        var here = new Undertakings(new Space(home, Owner.of(home), true));
        var there = new Undertakings(new Space(home, Owner.of(home), true));
        assertThatThrownBy(() -> there.stop(ID)).isInstanceOf(Refused.class);
        assertThat(here.begin(ID)).isNull();
        assertThat(here.isStopped(ID)).isFalse();
        there.stop(ID);
        there.stop(ID);
        assertThat(here.isStopped(ID)).isTrue();
        here.tell(ID, new Undertaking(State.FAILED, 0, 409, "StoppedError", "It was stopped."));
        assertThat(there.find(ID).code()).isEqualTo("StoppedError");
        assertThat(there.find(ID).message()).isEqualTo("It was stopped.");
        assertThat(there.begin(ID)).isNull();
        assertThat(there.isStopped(ID)).isFalse();
    }
}
