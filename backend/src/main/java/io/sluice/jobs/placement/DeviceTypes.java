package io.sluice.jobs.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of device that machines have, found by the names that users and other platforms give them: {@code h100}, {@code
 * NVIDIA H100 80GB HBM3}, {@code nvidia_gpu_amd64}, {@code nvidia_gpu_amd64_h100}, {@code nvidia.com/gpu}, {@code
 * huawei_npu_arm64}, {@code Ascend910B}, {@code any}.
 */
final class DeviceTypes {
    static final String ANY = "any";

    private static final Map<String, String> VENDOR_WORDS = Map.of(
            "nvidia", "nvidia", "huawei", "ascend", "ascend", "ascend", "npu", "ascend", "amd", "amd", "rocm", "amd");
    /** What says nothing about the model. {@code amd64} is a processor, not AMD. */
    private static final Set<String> NOISE =
            Set.of("gpu", "com", "amd64", "arm64", "x86", "64", "aarch64", "tesla", "geforce", "graphics", "device");

    private record Type(String type, String vendor) {}

    private final Map<Type, Integer> ids = new HashMap<>();
    private final List<Type> types = new ArrayList<>();
    private final Map<String, int[]> found = new HashMap<>();

    int id(String type, String vendor) {
        Type key = new Type(type, vendor);
        Integer known = ids.get(key);
        if (known != null) {
            return known;
        }
        types.add(key);
        ids.put(key, types.size() - 1);
        return types.size() - 1;
    }

    int count() {
        return types.size();
    }

    /** Whether devices of this type sit on boards with halves, and only 1, 2, 4 or 8 of them work together. */
    boolean onBoard(int id) {
        Type type = types.get(id);
        return "ascend".equals(vendor(words(type.vendor()))) || "ascend".equals(vendor(words(type.type())));
    }

    /** The types that a name stands for, once all machines are known. */
    int[] named(@Nullable String name) {
        String key = name == null || name.isBlank() ? ANY : name.toLowerCase(Locale.ROOT);
        return found.computeIfAbsent(key, this::find);
    }

    private int[] find(String name) {
        int[] all = new int[types.size()];
        int count = 0;
        for (int id = 0; id < all.length; id++) {
            if (name.equals(ANY) || matches(name, types.get(id))) {
                all[count++] = id;
            }
        }
        return Arrays.copyOf(all, count);
    }

    private static boolean matches(String name, Type type) {
        if (squeezed(name).equals(squeezed(type.type()))) {
            return true;
        }
        List<String> asked = words(name);
        List<String> has = words(type.type());
        String wanted = vendor(asked);
        String made = type.vendor().isEmpty() ? vendor(has) : vendor(words(type.vendor()));
        if (wanted != null && !wanted.equals(made)) {
            return false;
        }
        List<String> model = model(asked);
        List<String> models = model(has);
        return (wanted != null || !model.isEmpty())
                && model.stream()
                        .allMatch(word -> models.contains(word)
                                || ("ascend".equals(made) && models.stream().anyMatch(one -> one.startsWith(word))));
    }

    private static List<String> model(List<String> words) {
        return words.stream()
                .filter(word -> !VENDOR_WORDS.containsKey(word) && !NOISE.contains(word))
                .toList();
    }

    private static @Nullable String vendor(List<String> words) {
        return words.stream()
                .map(VENDOR_WORDS::get)
                .filter(vendor -> vendor != null)
                .findFirst()
                .orElse(null);
    }

    /** {@code Ascend910B} and {@code Ascend 910B} are the same two words. */
    private static List<String> words(String name) {
        String lower = name.toLowerCase(Locale.ROOT).replaceAll("(ascend|nvidia|geforce|tesla)(?=[a-z0-9])", "$1 ");
        return Arrays.stream(lower.split("[^a-z0-9]+"))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static String squeezed(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "");
    }
}
