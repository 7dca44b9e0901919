package io.sluice.jobs.drafts;

import io.sluice.jobs.protocol.Protocols;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job of one role that is put together from what somebody chose, to be written down as a text which they can go on with.
 *
 * @param storages shares that it needs beside those that all jobs have
 */
public record JobText(
        String name,
        String image,
        int instances,
        Size size,
        List<String> commands,
        List<Transfer> inputs,
        List<Transfer> outputs,
        List<String> storages,
        Map<String, Object> distributed) {
    /** What may stand in a name; all else becomes a hyphen. */
    private static final String NOT_IN_NAMES = "[^A-Za-z0-9._~-]+";

    /**
     * What each task has.
     *
     * @param type of its devices, null: any
     */
    public record Size(
            int cpus, int memoryMB, int devices, @Nullable String type) {
        static final Size SMALL = new Size(1, 1024, 0, null);
    }

    /** What comes from somewhere or goes there, and what the job calls it. */
    public record Transfer(String name, String place) {}

    public JobText {
        commands = List.copyOf(commands);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        storages = List.copyOf(storages);
        distributed = Map.copyOf(distributed);
    }

    /** As protocol 2 in YAML. */
    public String yaml() {
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("protocolVersion", 2);
        job.put("name", named(name));
        job.put("type", "job");
        job.put("prerequisites", List.of(map("name", "image", "type", "dockerimage", "uri", image)));
        var resources = map("cpu", size.cpus(), "memoryMB", size.memoryMB(), "gpu", size.devices());
        job.put(
                "taskRoles",
                map(
                        "main",
                        map(
                                "instances",
                                instances,
                                "dockerImage",
                                "image",
                                "resourcePerInstance",
                                resources,
                                "commands",
                                commands)));
        Map<String, Object> extras = extras();
        if (!extras.isEmpty()) {
            job.put("extras", extras);
        }
        return Protocols.written(job);
    }

    private Map<String, Object> extras() {
        Map<String, Object> extras = new LinkedHashMap<>();
        if (!storages.isEmpty()) {
            extras.put(
                    "storages",
                    storages.stream().map(share -> map("name", share)).toList());
        }
        Map<String, Object> ours = new LinkedHashMap<>();
        if (size.type() != null) {
            ours.put("devices", map("type", size.type()));
        }
        if (!distributed.isEmpty()) {
            ours.put("distributed", new LinkedHashMap<>(distributed));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        if (!inputs.isEmpty()) {
            data.put("inputs", transfers(inputs, "from"));
        }
        if (!outputs.isEmpty()) {
            data.put("outputs", transfers(outputs, "to"));
        }
        if (!data.isEmpty()) {
            ours.put("data", data);
        }
        if (!ours.isEmpty()) {
            extras.put("sluice", ours);
        }
        return extras;
    }

    private static List<Map<String, Object>> transfers(List<Transfer> all, String way) {
        return all.stream()
                .map(one -> map("name", one.name(), way, one.place()))
                .toList();
    }

    private static Map<String, Object> map(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put(keysAndValues[i].toString(), keysAndValues[i + 1]);
        }
        return map;
    }

    /** As a job may be called; jobs of a name that is all other letters are called job. */
    public static String named(String wish) {
        String plain = wish.strip().replaceAll(NOT_IN_NAMES, "-").replaceAll("^[-._~]+|[-._~]+$", "");
        return plain.isEmpty() ? "job" : plain.substring(0, Math.min(100, plain.length()));
    }

    /** As one word of a shell, whatever is in it; and nothing in it is a placeholder of protocol 2. */
    public static String quoted(String value) {
        return "'" + value.replace("'", "'\\''").replace("<%", "<''%") + "'";
    }
}
