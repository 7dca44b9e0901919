package io.sluice;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Three gateways, one for each way to an app, and Ann's app at each. */
abstract class ThreeWays {
    @TempDir
    private static Path folder;

    private static final List<DoorDesk> DESKS = new ArrayList<>();
    private static final List<Way> WAYS = new ArrayList<>();

    @BeforeAll
    static void open() throws Exception {
        int port = FreePorts.inARow(12);
        DESKS.add(new DoorDesk(folder.resolve("names")));
        DESKS.add(new DoorDesk(folder.resolve("ports"), "--endpoint-ports", port + "-" + (port + 11)));
        DESKS.add(new DoorDesk(folder.resolve("inside"), "--apps-domain", "none"));
        for (DoorDesk desk : DESKS) {
            DoorDesk.Somebody ann = desk.somebody("ann");
            ann.start("evil");
            WAYS.add(Way.of(desk, ann, "evil"));
        }
    }

    /** What comes next in this JVM has its own. */
    @AfterAll
    static void close() {
        DESKS.forEach(DoorDesk::close);
        DESKS.clear();
        WAYS.clear();
    }

    static List<Way> ways() {
        return WAYS;
    }
}
