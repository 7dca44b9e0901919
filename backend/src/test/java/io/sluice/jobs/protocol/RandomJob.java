package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.JobSpec.About;
import io.sluice.jobs.protocol.JobSpec.Around;
import io.sluice.jobs.protocol.JobSpec.Auth;
import io.sluice.jobs.protocol.JobSpec.Deployment;
import io.sluice.jobs.protocol.JobSpec.Event;
import io.sluice.jobs.protocol.JobSpec.Folders;
import io.sluice.jobs.protocol.JobSpec.Hook;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Plugin;
import io.sluice.jobs.protocol.JobSpec.Port;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.JobSpec.Priority;
import io.sluice.jobs.protocol.JobSpec.Resources;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.JobSpec.Sku;
import io.sluice.jobs.protocol.JobSpec.Storage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Any job that protocol 2 can say, the same for the same seed. */
final class RandomJob {
    /** Texts that a careless writer of YAML would get wrong. */
    private static final List<String> TEXTS = List.of(
            "plain",
            "",
            " ",
            "true",
            "null",
            "~",
            "1",
            "1.5",
            "0x10",
            "- a",
            "a: b",
            "a #b",
            "# a",
            "'",
            "\"",
            "{a}",
            "[",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "a\nb",
            "a\n\n  b\n",
            "\ta",
            "a\t",
            "trailing ",
            "  leading",
            "行",
            "😀",
            "<<",
            "=",
            "<% $parameters.p %>",
            "a\\b",
            "2020-01-01",
            ".inf",
            "yes",
            "---",
            "...",
            "? a",
            ": a",
            "a:",
            "\u0007bell",
            "\r\n",
            "x".repeat(300),
            "echo \"$HOME\" && for i in 1 2; do echo $i; done | tee 'log'");

    private final Random random;

    RandomJob(int seed) {
        random = new Random(seed);
    }

    JobSpec spec() {
        List<Prerequisite> prerequisites = prerequisites();
        List<Role> roles = numbered(3, i -> role("role_" + i, prerequisites));
        List<Deployment> deployments = some(() -> deployments(roles), List.<Deployment>of());
        Priority priority = maybe(() -> one(List.of(Priority.values())));
        return new JobSpec(
                2,
                "job-" + random.nextInt(1000),
                about(),
                one(List.of("default", "vision", "a b")),
                priority,
                random.nextInt(5) - 2,
                random.nextBoolean(),
                random.nextBoolean(),
                maybe(() -> 1 + random.nextInt(100_000)),
                maybe(() -> "H100"),
                random.nextBoolean(),
                roles,
                prerequisites,
                free(),
                some(() -> List.of("one", "two.three"), List.<String>of()),
                deployments,
                deployments.isEmpty()
                        ? null
                        : maybe(() -> deployments.getFirst().name()),
                some(() -> Map.of("NAME", text()), Map.<String, String>of()),
                some(() -> new Folders("", text(), "", "/code"), Folders.NONE),
                plugins(roles),
                maybe(() -> numbered(2, i -> new Storage("s" + i, maybe(() -> "/mnt/x")))),
                random.nextBoolean() ? List.of("running", "failed") : List.of(),
                maybe(this::text),
                extras());
    }

    private Map<String, Object> extras() {
        var extras = new LinkedHashMap<String, Object>();
        if (random.nextBoolean()) {
            extras.put("note", text());
            extras.put("sluice", Map.of("launcher", Map.of("kind", text())));
        }
        if (random.nextBoolean()) {
            extras.put("hivedScheduler", Map.of("lazyPreemptionEnable", true));
        }
        return extras;
    }

    private List<Prerequisite> prerequisites() {
        var all = new ArrayList<Prerequisite>();
        all.add(prerequisite(Kind.DOCKERIMAGE, "image", List.of("ubuntu"), maybe(this::auth)));
        all.add(prerequisite(Kind.SCRIPT, "script", some(() -> List.of(text()), List.<String>of()), null));
        all.add(prerequisite(Kind.OUTPUT, "output", List.of(text()), null));
        all.add(prerequisite(Kind.DATA, "data", List.of(text(), text()), null));
        return all;
    }

    private Auth auth() {
        return new Auth(maybe(this::text), maybe(() -> "<% $secrets.one %>"), one(List.of("lab", Auth.DOCKER_HUB)));
    }

    private Prerequisite prerequisite(Kind kind, String name, List<String> uris, @Nullable Auth auth) {
        boolean hooked = kind == Kind.SCRIPT && random.nextBoolean();
        return new Prerequisite(
                kind,
                name,
                uris,
                auth,
                hooked ? Prerequisites.CMD : null,
                kind == Kind.SCRIPT ? some(() -> List.of("data"), List.<String>of()) : List.of(),
                hooked
                        ? List.of(
                                new Hook(Event.TASK_STARTS, List.of(text(), text())),
                                new Hook(Event.TASK_SUCCEEDS, List.of(text())))
                        : List.of(),
                kind == Kind.SCRIPT && random.nextBoolean(),
                about(),
                kind == Kind.OUTPUT ? some(() -> Map.of("more", free()), Map.<String, Object>of()) : Map.of());
    }

    private About about() {
        return new About(maybe(this::text), maybe(this::text), maybe(this::text));
    }

    private Role role(String name, List<Prerequisite> prerequisites) {
        int instances = 1 + random.nextInt(9);
        var ports = new ArrayList<>(Port.always().values());
        if (random.nextBoolean()) {
            ports.add(new Port("api", random.nextInt(3), random.nextBoolean() ? 9000 : 0));
        }
        return new Role(
                name,
                instances,
                maybe(() -> 1 + random.nextInt(3)),
                maybe(() -> 1 + random.nextInt(3)),
                random.nextInt(3),
                "image",
                maybe(() -> "script"),
                maybe(() -> "output"),
                maybe(() -> "data"),
                random.nextBoolean() ? List.of(prerequisites.get(1).name()) : List.of(),
                new Resources(
                        random.nextInt(8),
                        random.nextInt(4096),
                        random.nextInt(8),
                        maybe(() -> 64),
                        random.nextBoolean()),
                maybe(() -> new Sku(maybe(() -> "H100"), maybe(() -> 2), null, maybe(this::text))),
                ports,
                numbered(3, i -> text()));
    }

    private List<Deployment> deployments(List<Role> roles) {
        var around = new LinkedHashMap<String, Around>();
        roles.forEach(role ->
                around.put(role.name(), new Around(List.of(text()), some(() -> List.of(text()), List.<String>of()))));
        return List.of(new Deployment("one", around), new Deployment("two", around));
    }

    private List<Plugin> plugins(List<Role> roles) {
        return some(
                () -> List.of(
                        new Plugin(
                                "cmd", List.of(roles.getFirst().name()), Map.of("preCommands", List.of(text())), false),
                        new Plugin("ssh", List.of(), Map.of("jobssh", true, "more", free()), true)),
                List.<Plugin>of());
    }

    private Map<String, Object> free() {
        var map = new LinkedHashMap<String, Object>();
        map.put("text", text());
        map.put("number", random.nextInt());
        map.put("large", 5_000_000_000L + random.nextInt());
        map.put("real", random.nextDouble());
        map.put("flag", random.nextBoolean());
        map.put("list", List.of(text(), 1, List.of()));
        map.put("map", Map.of("a b", Map.of(), "1", text()));
        return map;
    }

    private String text() {
        return one(TEXTS);
    }

    private <T> T one(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private <T> @Nullable T maybe(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }

    private <T> T some(Supplier<T> value, T otherwise) {
        return random.nextBoolean() ? value.get() : otherwise;
    }

    private <T> List<T> numbered(int most, IntFunction<T> make) {
        var all = new ArrayList<T>();
        int count = 1 + random.nextInt(most);
        for (int i = 0; i < count; i++) {
            all.add(make.apply(i));
        }
        return all;
    }
}
