package io.sluice.engines.docker.images;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.command.InspectImageResponse;
import com.github.dockerjava.api.model.ContainerConfig;
import com.github.dockerjava.api.model.ExposedPort;
import io.sluice.engines.docker.wire.Tar;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An image of layers that the engine has already, as {@code docker load} takes it: what stands in it is what its base image says, and
 * nothing of the container that its last layer is of.
 *
 * @param id that the engine will give it
 */
record Recipe(String id, Buffer archive) {

    static final String AUTHOR = "sluice";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OURS = "sluice.";
    private static final String CONFIG = "config.json";
    private static final int TEXT = 0644;

    static Recipe of(InspectImageResponse base, InspectImageResponse draft, String name, String origin) {
        try {
            var layers = layers(draft);
            var image = new LinkedHashMap<String, Object>();
            image.put("architecture", draft.getArch());
            image.put("os", draft.getOs());
            image.put("created", draft.getCreated());
            image.put("author", AUTHOR);
            image.put("comment", origin);
            image.put("config", config(base.getConfig()));
            image.put("rootfs", Map.of("type", "layers", "diff_ids", layers));
            image.put("history", history(layers.size(), draft.getCreated()));
            var config = JSON.writeValueAsString(image);
            var manifest = List.of(Map.of(
                    "Config",
                    CONFIG,
                    "RepoTags",
                    List.of(name),
                    "Layers",
                    layers.stream()
                            .map(layer -> layer.substring("sha256:".length()) + "/layer.tar")
                            .toList()));
            var tar = new Tar();
            tar.file("/" + CONFIG, TEXT, config.getBytes(StandardCharsets.UTF_8));
            tar.file("/manifest.json", TEXT, JSON.writeValueAsBytes(manifest));
            return new Recipe("sha256:" + digest(config), Buffer.buffer(tar.bytes()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> layers(InspectImageResponse image) {
        var system = image.getRootFS();
        return system == null || system.getLayers() == null ? List.of() : system.getLayers();
    }

    /** As the base image has it: of the container's nothing, which has its task's secrets in its variables. */
    private static Map<String, Object> config(@Nullable ContainerConfig base) {
        var config = new LinkedHashMap<String, Object>();
        if (base != null) {
            put(config, "User", base.getUser());
            put(config, "Env", base.getEnv());
            put(config, "Entrypoint", base.getEntrypoint());
            put(config, "Cmd", base.getCmd());
            put(config, "WorkingDir", base.getWorkingDir());
            put(config, "Volumes", base.getVolumes());
            var ports = new HashMap<String, Object>();
            for (var port : base.getExposedPorts() == null ? new ExposedPort[0] : base.getExposedPorts()) {
                ports.put(port.toString(), Map.of());
            }
            put(config, "ExposedPorts", ports.isEmpty() ? null : ports);
            var labels = new HashMap<>(base.getLabels() == null ? Map.of() : base.getLabels());
            labels.keySet().removeIf(label -> label.startsWith(OURS));
            put(config, "Labels", labels.isEmpty() ? null : labels);
        }
        return config;
    }

    private static void put(Map<String, Object> config, String name, @Nullable Object value) {
        if (value != null) {
            config.put(name, value);
        }
    }

    private static List<Map<String, Object>> history(int layers, @Nullable String created) {
        var history = new ArrayList<Map<String, Object>>();
        for (int i = 1; i <= layers; i++) {
            history.add(Map.of(
                    "created",
                    String.valueOf(created),
                    "created_by",
                    i < layers ? "the image it was made from" : "a task"));
        }
        return history;
    }

    private static String digest(String text) {
        try {
            var bytes = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
