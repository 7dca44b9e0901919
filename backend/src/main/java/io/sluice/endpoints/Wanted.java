package io.sluice.endpoints;

import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.recipes.Recipes;
import io.sluice.jobs.JobDetail;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.web.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether what is wanted can be had, with what to do where it can not. */
final class Wanted {
    private static final int LONGEST = 1_000;
    static final int LOWEST_PORT = 1_024;

    private Wanted() {}

    static Endpoint checked(JobDetail detail, String name, Endpoints.Wish wish, Recipes recipes, List<Endpoint> all) {
        var job = detail.job();
        if (job.isFinal()) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "Job " + job.key() + " has ended. Endpoints are for jobs that run, or will.");
        }
        if (!Wishes.NAME.matcher(name).matches()) {
            throw Problem.invalid("The name of an endpoint has small letters, digits and -, begins with a letter, and"
                    + " has at most 32 characters. Give it another, like tensorboard-2.");
        }
        if (all.size() >= Wishes.MOST
                && all.stream().noneMatch(one -> one.name().equals(name))) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "A job has at most " + Wishes.MOST + " endpoints. Use the name of one that is off.");
        }
        Recipe recipe = recipes.find(wish.recipe())
                .orElseThrow(() -> Problem.invalid((wish.recipe().isBlank()
                                ? "Give a recipe."
                                : "There is no recipe " + shown(wish.recipe()) + ".")
                        + " There are: "
                        + recipes.all().stream().map(Recipe::name).collect(Collectors.joining(", ")) + "."));
        JobSpec.Role role = role(detail.spec(), wish.role());
        if (wish.index() < 0 || wish.index() >= role.instances()) {
            throw Problem.invalid("Role " + role.name() + " has tasks 0 to " + (role.instances() - 1) + ".");
        }
        return Wishes.fresh(
                job.id(),
                job.user(),
                job.name(),
                name,
                recipe.name(),
                role.name(),
                wish.index(),
                port(recipe, wish.port()),
                options(recipe, wish.options()),
                shared(wish.shared()));
    }

    private static JobSpec.Role role(JobSpec spec, @Nullable String name) {
        return name == null
                ? spec.roles().getFirst()
                : spec.roles().stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> Problem.invalid("The job has no role " + shown(name) + ". It has: "
                                + spec.roles().stream().map(JobSpec.Role::name).collect(Collectors.joining(", "))
                                + "."));
    }

    private static @Nullable String port(Recipe recipe, @Nullable String port) {
        if (recipe.runsProgram()) {
            if (port != null) {
                throw Problem.invalid("Recipe " + recipe.name() + " is given a port that is free; leave port out.");
            }
            return null;
        }
        if (port == null) {
            return null;
        }
        boolean number =
                port.matches("\\d{1,5}") && Integer.parseInt(port) >= LOWEST_PORT && Integer.parseInt(port) < 65_536;
        if (!number && !port.matches("[A-Za-z_][A-Za-z0-9_-]{0,254}")) {
            throw Problem.invalid(
                    "port is a number from " + LOWEST_PORT + " to 65535, or the label of a port of the task.");
        }
        return port;
    }

    private static Map<String, String> options(Recipe recipe, Map<String, String> given) {
        Map<String, String> options = new HashMap<>();
        given.forEach((name, value) -> {
            if (!recipe.options().containsKey(name)) {
                throw Problem.invalid("Recipe " + recipe.name() + " has no option " + shown(name) + ".");
            }
            if (value.length() > LONGEST || value.chars().anyMatch(Character::isISOControl)) {
                throw Problem.invalid(
                        "Option " + name + " has at most " + LONGEST + " characters and no control characters.");
            }
            if (!value.isBlank()) {
                options.put(name, value.strip());
            }
        });
        return options;
    }

    private static List<String> shared(List<String> names) {
        if (names.size() > Sharing.MOST || !names.stream().allMatch(Sharing::isName)) {
            throw Problem.invalid("shared is a list of at most " + Sharing.MOST + " names of users.");
        }
        return names.stream().distinct().sorted().toList();
    }

    static boolean isSame(Endpoint one, Endpoint other) {
        return one.recipe().equals(other.recipe())
                && one.role().equals(other.role())
                && one.index() == other.index()
                && Objects.equals(one.asked(), other.asked())
                && one.options().equals(other.options());
    }

    private static String shown(String text) {
        return text.length() > 60 ? text.substring(0, 60) + "…" : text;
    }
}
