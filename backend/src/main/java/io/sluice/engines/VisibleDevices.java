package io.sluice.engines;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The variables by which programs that run beside others on a machine find the devices that they were given, and no others. */
public final class VisibleDevices {
    private static final String NVIDIA = "nvidia";
    private static final String ASCEND = "ascend";
    private static final String AMD = "amd";

    private VisibleDevices() {}

    /**
     * @param machine all devices that there are
     * @param given ids of those that the task has; of a vendor of which it has none, it sees none
     */
    public static Map<String, String> variables(List<Device> machine, List<String> given) {
        var variables = new LinkedHashMap<String, String>();
        for (String vendor : machine.stream().map(Device::vendor).collect(Collectors.toCollection(TreeSet::new))) {
            List<Device> its = machine.stream()
                    .filter(device -> device.vendor().equals(vendor) && given.contains(device.id()))
                    .toList();
            String indexes = words(its, device -> Integer.toString(device.index()));
            switch (vendor) {
                case NVIDIA -> {
                    // the driver's own names stay right when the numbers change
                    variables.put(
                            "CUDA_VISIBLE_DEVICES",
                            its.stream().allMatch(VisibleDevices::isNamed) ? words(its, Device::id) : indexes);
                    variables.put("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
                    // the parts of a device have its number, all of them
                    boolean parts = its.stream().anyMatch(device -> device.whole() != null);
                    variables.put(
                            "NVIDIA_VISIBLE_DEVICES",
                            its.isEmpty() ? "none" : parts ? words(its, Device::id) : indexes);
                }
                case ASCEND -> {
                    variables.put("ASCEND_VISIBLE_DEVICES", indexes);
                    variables.put("ASCEND_RT_VISIBLE_DEVICES", indexes);
                }
                case AMD -> {
                    // it counts what the other leaves
                    variables.put("HIP_VISIBLE_DEVICES", its.isEmpty() ? "-1" : counted(its.size()));
                    variables.put("ROCR_VISIBLE_DEVICES", indexes);
                }
                default -> {
                    // nobody knows how its programs are told
                }
            }
        }
        return variables;
    }

    /**
     * The same for programs in a container that has no other devices: there they are counted from 0. What an engine's runtime reads is not
     * among them.
     */
    public static Map<String, String> alone(List<Device> given) {
        var variables = new LinkedHashMap<String, String>();
        List<Device> nvidia =
                given.stream().filter(device -> device.vendor().equals(NVIDIA)).toList();
        // a part is known by its name only
        if (!nvidia.isEmpty() && nvidia.stream().allMatch(device -> device.whole() == null)) {
            variables.put("CUDA_VISIBLE_DEVICES", counted(nvidia.size()));
        }
        long amd = given.stream().filter(device -> device.vendor().equals(AMD)).count();
        if (amd > 0) {
            variables.put("HIP_VISIBLE_DEVICES", counted(amd));
        }
        return variables;
    }

    private static String counted(long devices) {
        return LongStream.range(0, devices).mapToObj(Long::toString).collect(Collectors.joining(","));
    }

    private static boolean isNamed(Device device) {
        return device.id().startsWith("GPU-") || device.id().startsWith("MIG-");
    }

    private static String words(List<Device> devices, Function<Device, String> word) {
        return devices.stream().map(word).collect(Collectors.joining(","));
    }
}
