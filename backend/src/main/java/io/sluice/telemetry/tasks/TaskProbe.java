package io.sluice.telemetry.tasks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Looks at the tasks of this machine, all of them with one list of its processes. Waits for the disk, so never on an event loop. */
public final class TaskProbe {
    private final Path proc;
    private final Groups groups;
    private final Kernel kernel;

    private TaskProbe(Path proc) throws IOException {
        this.proc = proc;
        this.groups = new Groups(proc);
        this.kernel = Kernel.of(Files.readAllBytes(proc.resolve("self/auxv")));
    }

    public static TaskProbe open() throws IOException {
        return new TaskProbe(Path.of("/proc"));
    }

    /** @param first process of each run; a run that has ended meanwhile is left out */
    public Map<String, Usage> look(Map<String, Long> first) throws IOException {
        var usages = new HashMap<String, Usage>();
        if (first.isEmpty()) {
            return usages;
        }
        ProcessTable table = ProcessTable.read(proc);
        for (var run : first.entrySet()) {
            Set<Long> tree = table.tree(run.getValue());
            if (!tree.isEmpty()) {
                usages.put(run.getKey(), usage(run.getValue(), tree, table));
            }
        }
        return usages;
    }

    private Usage usage(long first, Set<Long> tree, ProcessTable table) {
        double cpu = Double.NaN;
        double memory = Double.NaN;
        try {
            // the first process may be outside the group that its child has entered
            long member = tree.stream().skip(tree.size() - 1L).findFirst().orElse(first);
            Groups.Place place = groups.of(member);
            cpu = place.cpuSeconds();
            memory = place.memoryBytes();
        } catch (IOException e) {
            // it has ended since: what the list says of the others holds
            cpu = Double.NaN;
        }
        double[] network = network(first);
        double[] disk = disk(tree);
        return new Usage(
                Double.isNaN(cpu) ? table.ticks(tree) / (double) kernel.ticks() : cpu,
                Double.isNaN(memory) ? memory(tree) : memory,
                network[0],
                network[1],
                disk[0],
                disk[1],
                tree);
    }

    /** What each has for itself, and once what they share. */
    private double memory(Set<Long> tree) {
        double own = 0;
        double shared = 0;
        for (Long pid : tree) {
            try {
                String[] words = Files.readString(proc.resolve(pid + "/statm")).split(" ");
                long resident = Long.parseLong(words[1]);
                long common = Long.parseLong(words[2]);
                own += (double) ((resident - common) * kernel.page());
                shared = Math.max(shared, (double) (common * kernel.page()));
            } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
                own += 0; // ended since the list was made
            }
        }
        return own + shared;
    }

    /** Absent where it shares the gateway's network: the cards of the machine carry everybody's. */
    private double[] network(long first) {
        double[] bytes = {Double.NaN, Double.NaN};
        try {
            Path its = Files.readSymbolicLink(proc.resolve(first + "/ns/net"));
            if (its.equals(Files.readSymbolicLink(proc.resolve("self/ns/net")))) {
                return bytes;
            }
            double received = 0;
            double sent = 0;
            for (String line : Files.readAllLines(proc.resolve(first + "/net/dev"))) {
                int colon = line.indexOf(':');
                if (colon > 0 && !line.substring(0, colon).strip().equals("lo")) {
                    String[] words = line.substring(colon + 1).strip().split("\\s+");
                    received += Double.parseDouble(words[0]);
                    sent += Double.parseDouble(words[8]);
                }
            }
            return new double[] {received, sent};
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return bytes; // it may not be read, or is gone
        }
    }

    /** The kernel adds what ended and was waited for to whoever waited. */
    private double[] disk(Set<Long> tree) {
        double read = 0;
        double written = 0;
        boolean known = false;
        for (Long pid : tree) {
            try {
                for (String line : Files.readAllLines(proc.resolve(pid + "/io"))) {
                    if (line.startsWith("read_bytes: ")) {
                        read += Double.parseDouble(line.substring(12));
                        known = true;
                    } else if (line.startsWith("write_bytes: ")) {
                        written += Double.parseDouble(line.substring(13));
                    }
                }
            } catch (IOException | NumberFormatException e) {
                read += 0; // another user's, or ended
            }
        }
        return known ? new double[] {read, written} : new double[] {Double.NaN, Double.NaN};
    }
}
