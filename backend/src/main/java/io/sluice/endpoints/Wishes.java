package io.sluice.endpoints;

import io.sluice.endpoints.Endpoint.State;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.JobSpec;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a job was submitted with: {@code extras.sluice.endpoints} of ours, and OpenPAI's plugin for TensorBoard. */
final class Wishes {
    static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    static final int MOST = 20;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int ID_LETTERS = 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Wishes() {}

    static List<Endpoint> of(Places.Active job, JobSpec spec) {
        List<Endpoint> wishes = new ArrayList<>();
        if (spec.extras().get("sluice") instanceof Map<?, ?> ours && ours.get("endpoints") instanceof List<?> list) {
            list.stream().limit(MOST).forEach(one -> wish(job, spec, one).ifPresent(wishes::add));
        }
        for (JobSpec.Plugin plugin : spec.plugins()) {
            if (plugin.name().equals("tensorboard")) {
                wishes.add(tensorboard(job, spec, plugin.parameters()));
            }
        }
        return wishes;
    }

    private static Optional<Endpoint> wish(Places.Active job, JobSpec spec, @Nullable Object one) {
        String recipe = one instanceof String text ? text : one instanceof Map<?, ?> map ? text(map, "recipe", "") : "";
        if (!NAME.matcher(recipe).matches()) {
            return Optional.empty();
        }
        Map<?, ?> fields = one instanceof Map<?, ?> map ? map : Map.of();
        String name = text(fields, "name", recipe);
        Map<String, String> options = new HashMap<>();
        if (fields.get("options") instanceof Map<?, ?> given) {
            given.forEach((key, value) -> {
                if (value != null && !value.toString().isBlank()) {
                    options.put(String.valueOf(key), value.toString().strip());
                }
            });
        }
        return NAME.matcher(name).matches()
                ? Optional.of(fresh(
                        job.job(),
                        job.user(),
                        job.name(),
                        name,
                        recipe,
                        text(fields, "role", spec.roles().getFirst().name()),
                        fields.get("index") instanceof Number index ? index.intValue() : 0,
                        fields.get("port") == null ? null : String.valueOf(fields.get("port")),
                        options,
                        shared(fields.get("shared"))))
                : Optional.empty();
    }

    private static List<String> shared(@Nullable Object names) {
        return names instanceof List<?> list
                ? list.stream().map(String::valueOf).distinct().sorted().toList()
                : List.of();
    }

    /** In OpenPAI it stands in the first task of the first role, and shows the folders that it was given. */
    private static Endpoint tensorboard(Places.Active job, JobSpec spec, Map<String, Object> parameters) {
        Map<String, String> options = new HashMap<>();
        if (parameters.get("logdir") instanceof Map<?, ?> folders && !folders.isEmpty()) {
            if (folders.size() == 1) {
                options.put("logdir", String.valueOf(folders.values().iterator().next()));
            } else {
                options.put("folders", named(folders));
            }
        }
        return fresh(
                job.job(),
                job.user(),
                job.name(),
                "tensorboard",
                "tensorboard",
                spec.roles().getFirst().name(),
                0,
                null,
                options,
                List.of());
    }

    /** Commas and colons part them. */
    private static String named(Map<?, ?> folders) {
        return folders.entrySet().stream()
                .map(one -> String.valueOf(one.getKey()).replaceAll("[,:]", "-") + ":" + one.getValue())
                .collect(Collectors.joining(","));
    }

    static Endpoint fresh(
            long job,
            String user,
            String jobName,
            String name,
            String recipe,
            String role,
            int index,
            @Nullable String port,
            Map<String, String> options,
            List<String> shared) {
        return new Endpoint(
                random(ID_LETTERS),
                job,
                user,
                jobName,
                name,
                recipe,
                role,
                index,
                port,
                options,
                true,
                shared,
                null,
                State.WAITING,
                null,
                "",
                null,
                Instant.now());
    }

    static String random(int letters) {
        var text = new StringBuilder();
        for (int i = 0; i < letters; i++) {
            text.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return text.toString();
    }

    private static String text(Map<?, ?> map, String key, String byDefault) {
        return Objects.requireNonNullElse(map.get(key), byDefault).toString();
    }
}
