package io.sluice.engines.docker.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who else is given an image while somebody tries a password, and afterwards. */
class GuardedTest {

    private static final String TEAM = "registry.example.org/team";

    @TempDir
    private Path folder;

    private Guarded guarded;

    @BeforeEach
    void open() throws IOException {
        guarded = again();
    }

    private Guarded again() throws IOException {
        return new Guarded(folder.resolve("guarded"));
    }

    @Test
    void a_password_that_failed_opens_nothing_that_another_has_closed() throws IOException {
        assertThat(guarded.doubt(TEAM, Set.of())).isTrue();
        assertThat(guarded.doubt(TEAM, Set.of())).isTrue();
        guarded.sure(TEAM);
        guarded.failed(TEAM);
        assertThat(guarded.has(TEAM, "sha256:private")).isTrue();
        assertThat(again().has(TEAM, "sha256:private")).isTrue();
    }

    @Test
    void one_that_failed_does_not_speak_for_another_that_still_tries() throws IOException {
        guarded.doubt(TEAM, Set.of());
        guarded.doubt(TEAM, Set.of());
        guarded.failed(TEAM);
        assertThat(guarded.has(TEAM, "sha256:private")).isTrue();
        guarded.failed(TEAM);
        assertThat(guarded.has(TEAM, "sha256:any")).isFalse();
        assertThat(again().has(TEAM, "sha256:any")).isFalse();
    }

    @Test
    void whoever_dies_in_doubt_leaves_it_closed() throws IOException {
        guarded.doubt(TEAM, Set.of());
        assertThat(again().has(TEAM, "sha256:private")).isTrue();
    }

    @Test
    void nobody_takes_what_was_here_away_from_others_by_trying() throws IOException {
        guarded.doubt(TEAM, Set.of("sha256:everybodys"));
        assertThat(guarded.has(TEAM, "sha256:everybodys")).isFalse();
        assertThat(guarded.has(TEAM, "sha256:new")).isTrue();
        assertThat(guarded.has(TEAM, null)).isTrue();
        guarded.failed(TEAM);
        assertThat(guarded.has(TEAM, "sha256:new")).isFalse();
    }

    @Test
    void what_is_closed_already_is_in_no_doubt() throws IOException {
        guarded.sure(TEAM);
        assertThat(guarded.doubt(TEAM, Set.of("sha256:private"))).isFalse();
        assertThat(guarded.has(TEAM, "sha256:private")).isTrue();
        guarded.open(TEAM);
        assertThat(guarded.has(TEAM, "sha256:private")).isFalse();
    }
}
