package io.sluice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The flags that the launcher gives a gateway: without them one that starts on a busy machine is set up for things that nobody uses. */
final class JvmOptions {
    private static final String NEWER = "24+ ";

    private JvmOptions() {}

    static List<String> all() throws IOException {
        boolean newer = Runtime.version().feature() >= 24;
        return Files.readAllLines(Path.of("jvm.options")).stream()
                .filter(line -> line.startsWith("-") || (newer && line.startsWith(NEWER)))
                .map(line -> line.startsWith(NEWER) ? line.substring(NEWER.length()) : line)
                .toList();
    }
}
