package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that two readers could understand differently: the app never hears of a second one hidden in the first. */
class SmugglingIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static Smuggling tried;

    @BeforeAll
    static void open() throws Exception {
        desk = new DoorDesk(folder);
        ann = desk.somebody("ann");
        tried = Smuggling.tried(Way.named(desk, ann, "evil", ann.evil("evil")));
    }

    @AfterAll
    static void close() {
        ann.stop("evil");
        desk.close();
    }

    static Stream<Smuggling.Case> cases() {
        return Smuggling.cases();
    }

    @Test
    void there_are_enough_of_them() {
        assertThat(cases().count()).isGreaterThanOrEqualTo(150);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void none_passes(Smuggling.Case one) {
        tried.look(one, false);
    }

    /** There Vert.x does not hear of what is plain. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void none_passes_where_the_way_is_known(Smuggling.Case one) {
        tried.look(one, true);
    }
}
