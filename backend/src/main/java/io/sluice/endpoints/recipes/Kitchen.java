package io.sluice.endpoints.recipes;

import io.sluice.engines.Command;
import io.sluice.engines.Engine;
import io.sluice.engines.Exec;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts, watches and ends the program of a recipe inside a task. All that is known of it is there, in a folder of its own. */
public final class Kitchen {
    private static final int KEPT = 6_000;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String ATTEND = text("attend");

    private final Engine engine;

    public Kitchen(Engine engine) {
        this.engine = engine;
    }

    /**
     * @param run the engine's name of the task
     * @param id of the endpoint, and of nothing else
     */
    public record Order(
            String run, String id, Recipe recipe, String host, int port, String secret, Map<String, String> options) {}

    /**
     * How the program fares.
     *
     * @param exit its code, null: it has not ended
     * @param lines the last that it printed
     */
    public record Progress(Stage stage, @Nullable Integer exit, String lines) {}

    public enum Stage {
        NOTHING,
        INSTALLING,
        MISSING,
        STARTED
    }

    /** The task has not what it takes to start a program in it; the message is what it said. */
    public static final class NotBegun extends IOException {
        private static final long serialVersionUID = 1;

        NotBegun(int code, String said) {
            super(said.isEmpty() ? "A shell in it ended with code " + code + "." : said);
        }
    }

    /** Has the program started, once, whoever asks how often. Fails with {@link NotBegun} where trying again would not help. */
    public Future<Void> begin(Order order) {
        var variables = new HashMap<String, String>();
        order.recipe()
                .options()
                .forEach((name, option) -> variables.put(
                        "OPTION_" + name.toUpperCase(Locale.ROOT),
                        order.options().getOrDefault(name, option.byDefault())));
        variables.put("RECIPE", order.recipe().name());
        variables.put("HOST", order.host());
        variables.put("PORT", Integer.toString(order.port()));
        variables.put("SECRET", order.secret());
        variables.put("SLUICE_DETECT", orTrue(order.recipe().detect()));
        variables.put(
                "SLUICE_INSTALL", Objects.requireNonNullElse(order.recipe().install(), ""));
        variables.put("SLUICE_START", orTrue(order.recipe().start()));
        return attend(order.run(), order.id(), "begin", variables)
                .compose(ended -> ended.code() == 0
                        ? Future.succeededFuture()
                        : Future.failedFuture(
                                new NotBegun(ended.code(), ended.output().strip())));
    }

    public Future<Progress> look(String run, String id) {
        return attend(run, id, "look", Map.of()).map(ended -> progress(ended.output()));
    }

    public Future<Void> end(String run, String id) {
        return attend(run, id, "end", Map.of()).mapEmpty();
    }

    private Future<Exec.Ended> attend(String run, String id, String what, Map<String, String> variables) {
        var all = new HashMap<>(variables);
        all.put("SLUICE_WHAT", what);
        all.put("SLUICE_ENDPOINT", id);
        return engine.exec(run, Command.script(ATTEND, all))
                .compose(exec -> Exec.whole(exec, KEPT)
                        .timeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                        .onFailure(late -> exec.end()));
    }

    private static Progress progress(String told) {
        var words = told.lines().findFirst().orElse("").split(" ");
        int first = told.indexOf('\n');
        Stage stage = switch (words[0]) {
            case "installing" -> Stage.INSTALLING;
            case "missing" -> Stage.MISSING;
            case "started" -> Stage.STARTED;
            default -> Stage.NOTHING;
        };
        Integer exit = words.length > 1 && words[1].matches("\\d{1,3}") ? Integer.valueOf(words[1]) : null;
        return new Progress(stage, exit, first < 0 ? "" : told.substring(first + 1));
    }

    private static String orTrue(@Nullable String script) {
        return script == null ? "true" : script;
    }

    private static String text(String name) {
        try (InputStream file = Kitchen.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
