package io.sluice.jobs.protocol.data;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a job is brought before its tasks begin, and what is taken from them to somewhere else, as {@code extras.sluice.data} says.
 *
 * @param inputs each in a folder of its own
 * @param outputs likewise
 */
public record Data(List<Named> inputs, List<Named> outputs) {
    public static final String KEY = "data";
    public static final Data NONE = new Data(List.of(), List.of());

    /** Where tasks find what was fetched for them. */
    public static final String INPUT = "/input";

    static final int LONGEST_NAME = 31;
    private static final String OUTPUT = "/output";
    private static final String STORE = "s3://";
    private static final int LONGEST = 1_200;
    /** Folders that every task has; of those beneath {@code /mnt} nobody knows here which there are. */
    private static final Pattern FOLDERS = Pattern.compile("/(userhome|gdata|data|output|mnt/[^/]+)(/.*)?");

    private static final Pattern NAMES = Pattern.compile("[a-z][a-z0-9_]{0,30}");
    private static final Pattern STEPS = Pattern.compile("(?U)[^\\p{Cntrl}]+");

    public Data {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * One of them.
     *
     * @param address in a store of objects, in the web, or a folder that tasks see
     */
    public record Named(String name, String address) {
        public boolean isInStore() {
            return address.startsWith(STORE);
        }

        /** Where it comes from, in a word. */
        public String source() {
            return isInStore() ? "store" : Sources.isRepository(address) ? "git" : "web";
        }

        /** The address without what says that it is in a store. */
        public String inStore() {
            return address.substring(STORE.length());
        }

        /** Whether it lies elsewhere than tasks see it. */
        public boolean isMoved() {
            return !address.startsWith("/");
        }

        private String folder(String above) {
            return isMoved() ? above + "/" + name : address.length() > 1 ? address.replaceFirst("/+$", "") : address;
        }
    }

    /** What its job file holds of it, once that was found to be in order. */
    public static Data of(Map<?, ?> ours) {
        return ours.get(KEY) instanceof Map<?, ?> said
                ? new Data(named(said.get("inputs"), "from"), named(said.get("outputs"), "to"))
                : NONE;
    }

    private static List<Named> named(@Nullable Object list, String at) {
        return list instanceof List<?> all
                ? all.stream()
                        .filter(Map.class::isInstance)
                        .map(one -> (Map<?, ?>) one)
                        .map(one -> new Named(Objects.toString(one.get("name"), ""), Objects.toString(one.get(at), "")))
                        .toList()
                : List.of();
    }

    public static boolean isName(String name) {
        return NAMES.matcher(name).matches();
    }

    /** Whether it is written as one can be; a folder may still be one that tasks do not have. */
    public static boolean isAddress(String address) {
        boolean stored = address.startsWith(STORE);
        String path = stored ? address.substring(STORE.length()) : address.substring(Math.min(1, address.length()));
        return address.length() <= LONGEST
                && (stored || address.startsWith("/"))
                && !path.isEmpty()
                && STEPS.matcher(path).matches()
                && Stream.of(path.replaceFirst("/$", "").split("/", -1))
                        .noneMatch(step -> step.isEmpty() || step.equals(".") || step.equals(".."));
    }

    /** @param mounts where the job has storages besides those that all have */
    public static boolean isFolder(String address, List<String> mounts) {
        return FOLDERS.matcher(address).matches()
                || mounts.stream().anyMatch(mount -> address.equals(mount) || address.startsWith(mount + "/"));
    }

    /** Those that are fetched; the others lie where tasks see them. */
    public List<Named> fetched() {
        return inputs.stream().filter(Named::isMoved).toList();
    }

    /** Those that are brought back. */
    public List<Named> returned() {
        return outputs.stream().filter(Named::isInStore).toList();
    }

    /** What its tasks find in their environment: where each of them lies. */
    public Map<String, String> environment() {
        Map<String, String> all = new LinkedHashMap<>();
        inputs.forEach(one -> all.put("SLUICE_INPUT_" + one.name().toUpperCase(Locale.ROOT), one.folder(INPUT)));
        outputs.forEach(one -> all.put("SLUICE_OUTPUT_" + one.name().toUpperCase(Locale.ROOT), one.folder(OUTPUT)));
        return all;
    }
}
