package io.sluice.telemetry.devices;

import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sentences with which the tools refuse, of every vendor. Some come with exit code 0, some before a table that is good. */
public final class Failures {
    private record Saying(Pattern words, Reason reason) {}

    private static final List<Saying> SAYINGS = List.of(
            saying("Unable to determine the device handle for GPU\\s*(\\S+)", Reason.LOST),
            saying("GPU ([0-9A-Fa-f:.]+):? GPU is lost", Reason.LOST),
            saying("Failed to query npu chip: (\\S+) info", Reason.LOST),
            saying("couldn't communicate with the NVIDIA driver", Reason.DRIVER),
            saying("Driver/library version mismatch", Reason.VERSION),
            saying("Failed to initialize NVML: (?:Insufficient|No) Permission", Reason.PERMISSION),
            saying("Failed to initialize NVML", Reason.DRIVER),
            saying("ret is -8020|device is used", Reason.IN_USE),
            saying("ret is -8005|dcmi modu?le? initialize failed", Reason.DRIVER),
            saying("No devices were found|No AMD GPUs? (?:specified|detected|found)", Reason.NO_DEVICES),
            saying("\\[Insufficient Permissions\\]|[Pp]ermission denied", Reason.PERMISSION),
            saying("Error parameter of|is not a valid field to query|[Ii]nvalid combination of", Reason.ARGUMENT),
            saying("Driver not initialized|amdgpu not found|AMDSMI_STATUS_DRIVER_NOT_LOADED", Reason.DRIVER),
            saying("Failed to query \"", Reason.FAILED));

    /** What exit codes of nvidia-smi mean, as its manual has them. */
    private static final Map<Integer, Reason> NVIDIA = Map.of(
            2, Reason.ARGUMENT,
            3, Reason.FAILED,
            4, Reason.PERMISSION,
            6, Reason.NO_DEVICES,
            9, Reason.DRIVER,
            12, Reason.DRIVER,
            15, Reason.LOST,
            18, Reason.VERSION);

    private Failures() {}

    private static Saying saying(String words, Reason reason) {
        return new Saying(Pattern.compile(words), reason);
    }

    /** What is wrong, by the words alone. */
    public static List<Trouble> of(String output) {
        var troubles = new ArrayList<Trouble>();
        output.lines().limit(200).forEach(line -> of(line, troubles));
        return troubles;
    }

    private static void of(String line, List<Trouble> troubles) {
        for (Saying saying : SAYINGS) {
            Matcher words = saying.words().matcher(line);
            if (words.find()) {
                String device = words.groupCount() > 0 ? words.group(1) : null;
                troubles.add(new Trouble(saying.reason(), bus(line).orElse(device), line));
                return;
            }
        }
    }

    private static Optional<String> bus(String line) {
        Matcher bus = Pattern.compile("([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\\.\\d)")
                .matcher(line);
        return bus.find() ? Optional.of(bus.group(1)) : Optional.empty();
    }

    /** Why a call that told nothing did so. */
    public static Trouble of(int exitCode, String output) {
        var troubles = of(output);
        if (!troubles.isEmpty()) {
            return troubles.getFirst();
        }
        if (exitCode != 0) {
            return Trouble.of(
                    NVIDIA.getOrDefault(exitCode, Reason.FAILED), "exit code " + exitCode + ": " + output.strip());
        }
        return output.isBlank()
                ? Trouble.of(Reason.EMPTY, "It printed nothing.")
                : Trouble.of(Reason.LAYOUT, output.strip());
    }
}
