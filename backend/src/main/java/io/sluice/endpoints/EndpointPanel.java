package io.sluice.endpoints;

import io.sluice.endpoints.checks.Check;
import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.web.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the panel of a job's endpoints shows.
 *
 * @param cursor from which the page goes on; another one for every change that can be seen
 * @param tasks in which something can be switched on, as {@code role/index}
 * @param ssh how the tasks are reached by SSH; empty: not at all
 * @param keyless whether the reader has no key to come with
 * @param shares whether endpoints can be shared here
 * @param colleagues who is offered to share them with
 * @param origin of the portal, as the reader's browser writes it
 * @param sharing whose sharing is being changed; empty: nobody's
 * @param fault why the last wish was not granted; null: it was
 */
public record EndpointPanel(
        Job job,
        String cursor,
        List<Row> rows,
        List<Recipe> recipes,
        List<String> tasks,
        List<String> ssh,
        boolean keyless,
        boolean shares,
        List<String> colleagues,
        String origin,
        String sharing,
        @Nullable String fault) {

    /**
     * What leads into a task from the reader's own machine.
     *
     * @param name by which the reader's browser knows the gateway
     * @param origin the same, as browsers write it
     * @param port of SSH; null: there is none
     * @param colleagues who is offered to share with; null: nothing can be shared
     */
    record Way(
            String reader,
            boolean keyless,
            String name,
            String origin,
            @Nullable Integer port,
            @Nullable List<String> colleagues) {
        List<String> commands(Job job, List<String> tasks) {
            if (port == null) {
                return List.of();
            }
            String host = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
            String whose = job.user().equals(reader) ? job.name() : job.key();
            return tasks.stream()
                    .map(task -> "ssh -p " + port + " " + whose
                            + (tasks.size() == 1 ? "" : "+" + task.replace('/', '+')) + "@" + host)
                    .toList();
        }
    }

    /**
     * @param recipe null: there is none of its name any more
     * @param openable whether it runs at the addresses that endpoints have here
     * @param check the last one; null: there was none
     */
    public record Row(
            Endpoint endpoint,
            @Nullable Recipe recipe,
            boolean openable,
            @Nullable Check check) {
        public String title(View view) {
            Recipe known = recipe;
            String title = known == null ? endpoint.recipe() : known.title(view.lang());
            boolean plain = known == null || known.runsProgram();
            return endpoint.name().equals(endpoint.recipe())
                    ? title
                    : plain ? endpoint.name() + " · " + title : endpoint.name();
        }

        public boolean isOn() {
            return endpoint.wanted() && endpoint.state() != Endpoint.State.FAILED;
        }

        public String tone() {
            return switch (endpoint.state()) {
                case READY -> endpoint.wanted() ? "good" : "idle";
                case STARTING, WAITING -> endpoint.wanted() ? "busy" : "idle";
                case FAILED -> "bad";
                case OFF, ENDED -> "idle";
            };
        }

        public String state(View view) {
            return view.t(
                    "endpoint.state." + (endpoint.wanted() ? endpoint.state().key() : "off"));
        }

        public @Nullable String reason(View view) {
            Endpoint.Reason reason = endpoint.reason();
            return reason == null || !endpoint.wanted()
                    ? null
                    : view.t("endpoint.reason." + reason.key(), endpoint.detail());
        }

        /** What to put into the image; null: nothing is missing. */
        public @Nullable String missing(View view) {
            Recipe known = recipe;
            return known == null || endpoint.reason() != Endpoint.Reason.MISSING ? null : known.missing(view.lang());
        }
    }

    /** On the home page: what others share with the reader. */
    public record Shared(List<Row> rows, String cursor) {
        static Shared of(List<Endpoint> all, Recipes recipes) {
            return new Shared(
                    all.stream()
                            .map(one -> new Row(one, recipes.find(one.recipe()).orElse(null), true, null))
                            .toList(),
                    Integer.toHexString(all.hashCode()));
        }
    }

    private static final int MOST_TASKS = 100;

    static EndpointPanel of(
            JobDetail detail,
            List<Endpoint> all,
            Map<String, Check> checks,
            Recipes recipes,
            Predicate<Endpoint> openable,
            Way way,
            String sharing,
            @Nullable String fault) {
        List<String> tasks = new ArrayList<>();
        detail.spec().roles().forEach(role -> {
            for (int index = 0; index < role.instances() && tasks.size() < MOST_TASKS; index++) {
                tasks.add(role.name() + "/" + index);
            }
        });
        List<Recipe> free = recipes.all().stream()
                .filter(recipe -> !recipe.runsProgram()
                        || all.stream().noneMatch(one -> one.name().equals(recipe.name())))
                .toList();
        return new EndpointPanel(
                detail.job(),
                Integer.toHexString(List.of(all, checks).hashCode()),
                all.stream()
                        .map(one -> new Row(
                                one, recipes.find(one.recipe()).orElse(null), openable.test(one), checks.get(one.id())))
                        .toList(),
                free,
                tasks,
                way.commands(detail.job(), tasks),
                way.keyless(),
                way.colleagues() != null,
                Objects.requireNonNullElse(way.colleagues(), List.of()),
                way.origin(),
                sharing,
                fault);
    }

    public Optional<Row> row(String name) {
        return rows.stream().filter(row -> row.endpoint().name().equals(name)).findFirst();
    }
}
