package io.sluice.endpoints;

import io.sluice.database.Database;
import io.sluice.endpoints.Endpoint.State;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What jobs were submitted with: {@code extras.sluice.endpoints} of ours, and OpenPAI's plugin for TensorBoard. Each is read
 * once, and one that can not be read keeps nobody else's endpoints waiting.
 */
final class Wishes {
    static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    static final int MOST = 20;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
    private static final int ID_LETTERS = 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final System.Logger LOG = System.getLogger(Wishes.class.getName());

    private final Places places;
    private final EndpointStore store;
    private final EndpointMetrics metrics;
    /** Jobs whose wishes are known. */
    private final Set<Long> read = ConcurrentHashMap.newKeySet();

    Wishes(Places places, EndpointStore store, EndpointMetrics metrics) {
        this.places = places;
        this.store = store;
        this.metrics = metrics;
    }

    /** Of jobs that were not looked at yet. What fails is told, and never the whole of it. */
    Future<Void> read(List<Places.Active> active) {
        read.retainAll(active.stream().map(Places.Active::job).toList());
        var fresh = active.stream().filter(job -> !read.contains(job.job())).toList();
        if (fresh.isEmpty()) {
            return Future.succeededFuture();
        }
        return places.specs(fresh.stream().map(Places.Active::job).toList())
                .transform(found -> found.succeeded() ? all(fresh, found.result()) : each(fresh, found.cause()));
    }

    private Future<Void> all(List<Places.Active> fresh, Map<Long, JobSpec> specs) {
        return Future.join(fresh.stream()
                        .map(job -> settled(job, add(job, specs.get(job.job()))))
                        .toList())
                .mapEmpty();
    }

    /** One of them is at fault, and each is asked for alone; or the database is away, and they are all asked for again. */
    private Future<Void> each(List<Places.Active> fresh, Throwable cause) {
        Future<Void> done = Future.succeededFuture();
        if (Database.isUnavailable(cause)) {
            return done;
        }
        for (Places.Active job : fresh) {
            done = done.compose(before ->
                    settled(job, places.specs(List.of(job.job())).compose(specs -> add(job, specs.get(job.job())))));
        }
        return done;
    }

    private Future<Void> add(Places.Active job, @Nullable JobSpec spec) {
        if (spec == null) {
            return Future.succeededFuture();
        }
        return Future.succeededFuture()
                .compose(begun ->
                        Future.join(of(job, spec).stream().map(store::addOnce).toList()))
                .mapEmpty();
    }

    /** What the values are at fault for, they are at fault for again. */
    private Future<Void> settled(Places.Active job, Future<Void> added) {
        return added.onSuccess(done -> read.add(job.job())).recover(failure -> {
            if (!Database.isUnavailable(failure)) {
                read.add(job.job());
                metrics.fault();
                LOG.log(
                        System.Logger.Level.WARNING,
                        "event=endpoints-not-read job={0} cause=\"{1}\"",
                        job.key(),
                        failure.getMessage());
            }
            return Future.succeededFuture();
        });
    }

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
