package io.sluice.jobs.gang;

import io.sluice.engines.Device;
import io.sluice.engines.Inventory;
import io.sluice.engines.Node;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of NPUs' own network ports: what an administrator has listed, else what the machine's tool says, else what its file says. Asked again
 * every few minutes, by a thread that may wait.
 */
public final class Links {
    private static final Logger log = System.getLogger(Links.class.getName());
    private static final Duration FRESH = Duration.ofMinutes(5);
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final String ASCEND = "ascend";
    private static final Pattern TOOL = Pattern.compile("(?m)^ipaddr:\\s*(\\S+)");
    private static final Pattern FILE = Pattern.compile("(?m)^address_(\\d{1,4})=(\\S+)");
    private static final Pattern LISTED = Pattern.compile("(\\S+)\\s+(\\d{1,4})\\s+(\\S+)");
    private static final Pattern ADDRESS = Pattern.compile("[0-9A-Fa-f:.]{3,45}");

    private final Path listed;
    private final Path root;
    private long lookedAt;
    private Map<String, String> known = Map.of();

    /**
     * @param data the data folder, in which an administrator's list lies: {@code device-addresses}
     * @param root of the machine: {@code /}
     */
    public Links(Path data, Path root) {
        this.listed = data.resolve("device-addresses");
        this.root = root;
    }

    /** By the node's name and the device's number, as {@code node/3}; of devices that do not exist, addresses that are nobody's. */
    public synchronized Map<String, String> of(Inventory inventory) {
        boolean any = inventory.nodes().stream()
                .flatMap(node -> node.devices().stream())
                .anyMatch(device -> device.vendor().equals(ASCEND));
        if (any && (lookedAt == 0 || System.nanoTime() - lookedAt > FRESH.toNanos())) {
            known = look(inventory);
            lookedAt = System.nanoTime();
        }
        return known;
    }

    static String key(String node, int number) {
        return node + "/" + number;
    }

    private Map<String, String> look(Inventory inventory) {
        Map<String, String> found = new HashMap<>();
        String file = text(root.resolve("etc/hccn.conf"));
        int machine = 0;
        for (Node node : inventory.nodes()) {
            machine++;
            boolean asks = true;
            for (Device device : node.devices()) {
                if (!device.vendor().equals(ASCEND)) {
                    continue;
                }
                Optional<String> link = device.simulated()
                        ? Optional.of("198.18." + machine % 250 + "." + (1 + device.index() % 250))
                        : asks ? ask(device.index()) : Optional.empty();
                // a tool that is not there, or hangs, is not asked for each device
                asks = device.simulated() || link.isPresent();
                link.or(() -> configured(file, device.index()))
                        .ifPresent(address -> found.put(key(node.name(), device.index()), address));
            }
        }
        found.putAll(listed());
        return Map.copyOf(found);
    }

    private Map<String, String> listed() {
        Map<String, String> all = new HashMap<>();
        for (String line : text(listed).lines().map(String::strip).toList()) {
            var words = LISTED.matcher(line);
            if (words.matches() && isAddress(words.group(3))) {
                all.put(key(words.group(1), Integer.parseInt(words.group(2))), words.group(3));
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                log.log(
                        Level.WARNING,
                        "file={0} line=\"{1}\" cause=\"a line is: the machine''s name, the device''s number, its address\"",
                        listed,
                        line);
            }
        }
        return all;
    }

    private static Optional<String> configured(String file, int number) {
        return FILE.matcher(file)
                .results()
                .filter(line -> Integer.parseInt(line.group(1)) == number && isAddress(line.group(2)))
                .map(line -> line.group(2))
                .reduce((one, later) -> later);
    }

    private static boolean isAddress(String text) {
        return ADDRESS.matcher(text).matches();
    }

    private @Nullable Path tool() {
        return List.of("usr/local/Ascend/driver/tools/hccn_tool", "usr/bin/hccn_tool", "usr/local/bin/hccn_tool")
                .stream()
                .map(root::resolve)
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    private Optional<String> ask(int number) {
        Path tool = tool();
        if (tool == null) {
            return Optional.empty();
        }
        Process process = null;
        try {
            process = new ProcessBuilder(tool.toString(), "-i", Integer.toString(number), "-ip", "-g")
                    .redirectErrorStream(true)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                log.log(Level.WARNING, "tool=hccn_tool device={0} answer=none", Integer.toString(number));
                return Optional.empty();
            }
            // a few lines: they fit into the pipe
            var said = TOOL.matcher(new String(process.getInputStream().readNBytes(4096), StandardCharsets.UTF_8));
            return said.find() && isAddress(said.group(1)) ? Optional.of(said.group(1)) : Optional.empty();
        } catch (IOException e) {
            log.log(Level.WARNING, "tool=hccn_tool cause=\"{0}\"", e.getMessage());
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } finally {
            if (process != null) {
                process.destroyForcibly();
            }
        }
    }

    /** Empty where there is nothing, or nothing that may be read. */
    private static String text(Path file) {
        try {
            return Files.isReadable(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            log.log(Level.WARNING, "file={0} cause=\"{1}\"", file, e.getMessage());
            return "";
        }
    }
}
