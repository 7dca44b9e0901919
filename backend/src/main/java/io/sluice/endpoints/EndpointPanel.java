package io.sluice.endpoints;

import io.sluice.endpoints.checks.Check;
import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.web.Call;
import io.sluice.web.View;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the panel of a job's endpoints shows.
 *
 * @param cursor from which the page goes on; another one for every change that can be seen
 * @param tasks in which something can be switched on, as {@code role/index}; of very many the first
 * @param more how many tasks there are besides
 * @param ssh how the tasks are reached by SSH; empty: not at all
 * @param local whether the reader's browser knows the gateway as the machine that it is on itself
 * @param keyless whether the reader has no key to come with
 * @param shares whether endpoints can be shared here
 * @param colleagues who is offered to share them with
 * @param origin of the portal, as the reader's browser writes it
 * @param sharing whose sharing is being changed; empty: nobody's
 * @param fault why the last wish was not granted; null: it was
 * @param asked what that wish was, so that it can be corrected; null: there is none
 */
public record EndpointPanel(
        Job job,
        String cursor,
        List<Row> rows,
        List<Recipe> recipes,
        List<String> tasks,
        int more,
        List<String> ssh,
        boolean local,
        boolean keyless,
        boolean shares,
        List<String> colleagues,
        String origin,
        String sharing,
        @Nullable String fault,
        @Nullable Asked asked) {

    /**
     * What stands in a form of the panel: as somebody sent it, or as it is drawn before.
     *
     * @param endpoint that is changed; empty: another one is switched on
     * @param task as {@code role/index}; empty: the first
     */
    public record Asked(
            String endpoint, String recipe, String name, String task, String port, Map<String, String> options) {
        static final String RECIPE = "recipe";
        private static final String OPTION = "option.";

        public Asked {
            options = Map.copyOf(options);
        }

        static Asked nothing(String recipe) {
            return new Asked("", recipe, "", "", "", Map.of());
        }

        /** As it was asked for last. */
        static Asked of(Endpoint endpoint) {
            return new Asked(
                    endpoint.name(),
                    endpoint.recipe(),
                    endpoint.name(),
                    endpoint.role() + "/" + endpoint.index(),
                    Objects.requireNonNullElse(endpoint.asked(), ""),
                    endpoint.options());
        }

        static Asked of(Call call, String endpoint) {
            String recipe = call.field(RECIPE).orElse("");
            Map<String, String> options = new HashMap<>();
            String prefix = OPTION + recipe + ".";
            call.input().propertyStream().forEach(field -> {
                if (field.getKey().startsWith(prefix)) {
                    options.put(
                            field.getKey().substring(prefix.length()),
                            field.getValue().asText());
                }
            });
            return new Asked(
                    endpoint,
                    recipe,
                    call.field("name").orElse("").strip(),
                    call.field("task").orElse("").strip(),
                    call.field("port").orElse("").strip(),
                    options);
        }

        /** Which endpoint this is about. */
        String wanted() {
            return !endpoint.isEmpty() ? endpoint : name.isEmpty() ? recipe : name;
        }

        Endpoints.Wish wish(List<String> shared) {
            int slash = task.lastIndexOf('/');
            return new Endpoints.Wish(
                    recipe,
                    task.isEmpty() ? null : task.substring(0, Math.max(slash, 0)),
                    task.isEmpty() ? 0 : number(task.substring(slash + 1)),
                    port.isEmpty() ? null : port,
                    options,
                    shared);
        }

        private static int number(String text) {
            return text.matches("\\d{1,6}") ? Integer.parseInt(text) : -1;
        }
    }

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
        /** Through a tunnel the browser's machine looks like the gateway's, but SSH is not there. */
        boolean isLocal() {
            return name.equals("[::1]") || name.startsWith("127.") || name.equalsIgnoreCase("localhost");
        }

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

        public boolean hasFailed() {
            return endpoint.wanted() && endpoint.state() == Endpoint.State.FAILED;
        }

        /** Whether it can be switched on otherwise than before. */
        public boolean isChangeable() {
            return recipe != null && !isOn() && endpoint.state() != Endpoint.State.ENDED;
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
            @Nullable String fault,
            @Nullable Asked asked) {
        List<String> tasks = tasks(detail.spec());
        List<Recipe> free = recipes.all().stream()
                .filter(recipe -> !recipe.runsProgram()
                        || all.stream().noneMatch(one -> one.name().equals(recipe.name())))
                .toList();
        return new EndpointPanel(
                detail.job(),
                cursor(detail.job(), all, checks),
                all.stream()
                        .map(one -> new Row(
                                one, recipes.find(one.recipe()).orElse(null), openable.test(one), checks.get(one.id())))
                        .toList(),
                free,
                tasks,
                detail.spec().taskCount() - tasks.size(),
                way.commands(detail.job(), tasks),
                way.isLocal(),
                way.keyless(),
                way.colleagues() != null,
                Objects.requireNonNullElse(way.colleagues(), List.of()),
                way.origin(),
                sharing,
                fault,
                asked);
    }

    private static List<String> tasks(JobSpec spec) {
        return spec.roles().stream()
                .flatMap(role -> IntStream.range(0, role.instances()).mapToObj(index -> role.name() + "/" + index))
                .limit(MOST_TASKS)
                .toList();
    }

    /** Another one for every change that can be seen. */
    static String cursor(Job job, List<Endpoint> all, Map<String, Check> checks) {
        return Integer.toHexString(List.of(all, checks, job.phase()).hashCode());
    }

    /** Whether its tasks can be gone into. */
    public boolean runs() {
        return job.phase() == Job.Phase.STARTED;
    }

    /** What the form of another endpoint begins with: what was refused in it, or nothing. */
    public Asked form(Recipe recipe) {
        Asked refused = asked;
        return refused != null
                        && refused.endpoint().isEmpty()
                        && refused.recipe().equals(recipe.name())
                ? refused
                : Asked.nothing(recipe.name());
    }

    /** What the form of this endpoint begins with: what was refused in it, or how it was. */
    public Asked form(Row row) {
        return isRefused(row) ? Objects.requireNonNull(asked) : Asked.of(row.endpoint());
    }

    public boolean isRefused(Row row) {
        Asked refused = asked;
        return refused != null
                && refused.endpoint().equals(row.endpoint().name())
                && refused.recipe().equals(row.endpoint().recipe());
    }

    public Optional<Row> row(String name) {
        return rows.stream().filter(row -> row.endpoint().name().equals(name)).findFirst();
    }
}
