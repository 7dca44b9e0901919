package io.sluice.telemetry.tasks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All processes of this machine, as the kernel lists them once. */
final class ProcessTable {
    private static final int PARENT = 1;
    private static final int USER_TIME = 11;
    private static final int TIMES = 4;

    /** @param ticks of CPU time, with those of children that ended and were waited for: so that what has ended still counts, once */
    record Entry(long pid, long parent, long ticks) {}

    private final Map<Long, Entry> entries = new HashMap<>();
    private final Map<Long, List<Long>> children = new HashMap<>();

    static ProcessTable read(Path proc) throws IOException {
        var table = new ProcessTable();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path folder : folders) {
                table.add(folder);
            }
        }
        return table;
    }

    private void add(Path folder) {
        try {
            String stat = new String(Files.readAllBytes(folder.resolve("stat")), StandardCharsets.ISO_8859_1);
            // a name may hold blanks and brackets; what follows the last bracket is numbers
            String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long ticks = 0;
            for (int at = USER_TIME; at < USER_TIME + TIMES; at++) {
                ticks += Long.parseLong(words[at]);
            }
            long pid = Long.parseLong(folder.getFileName().toString());
            var entry = new Entry(pid, Long.parseLong(words[PARENT]), ticks);
            entries.put(pid, entry);
            children.computeIfAbsent(entry.parent(), parent -> new ArrayList<>())
                    .add(pid);
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            entries.remove(-1L); // it ended while it was read, and counts no more
        }
    }

    /** The process and all that descend from it; empty where it is gone. */
    Set<Long> tree(long root) {
        Set<Long> tree = new LinkedHashSet<>();
        var next = new ArrayDeque<Long>();
        if (entries.containsKey(root)) {
            next.add(root);
        }
        while (!next.isEmpty()) {
            Long pid = next.remove();
            if (tree.add(pid)) {
                next.addAll(children.getOrDefault(pid, List.of()));
            }
        }
        return tree;
    }

    long ticks(Set<Long> pids) {
        return pids.stream()
                .map(entries::get)
                .filter(entry -> entry != null)
                .mapToLong(Entry::ticks)
                .sum();
    }
}
