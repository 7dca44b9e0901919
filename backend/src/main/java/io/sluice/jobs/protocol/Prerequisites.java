package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.Fields.Shape;
import io.sluice.jobs.protocol.JobSpec.About;
import io.sluice.jobs.protocol.JobSpec.Auth;
import io.sluice.jobs.protocol.JobSpec.Event;
import io.sluice.jobs.protocol.JobSpec.Hook;
import io.sluice.jobs.protocol.JobSpec.Kind;
import io.sluice.jobs.protocol.JobSpec.Prerequisite;
import io.sluice.jobs.protocol.data.Sources;
import io.sluice.jobs.protocol.document.Item.Entry;
import io.sluice.jobs.protocol.document.Placeholders;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a job of protocol 2 needs before it can run: its images, and scripts, outputs and data that it names. */
final class Prerequisites {
    static final String CMD = "com.microsoft.pai.runtimeplugin.cmd";
    static final List<String> POLICIES = List.of("fail", "ignore");
    private static final List<String> KINDS = List.of("dockerimage", "script", "output", "data");
    private static final Map<String, Event> EVENTS = Map.of(
            "taskStarts", Event.TASK_STARTS,
            "taskSucceeds", Event.TASK_SUCCEEDS,
            // as they were first called
            "containerStarts", Event.TASK_STARTS,
            "containerEnds", Event.TASK_SUCCEEDS);

    private final Faults faults;
    private final Secrets secrets;
    private final List<Prerequisite> all = new ArrayList<>();
    /** Addresses of data that are inputs. */
    private long sources;

    private final Map<Kind, Set<String>> names = new EnumMap<>(Kind.class);

    Prerequisites(Faults faults, Secrets secrets) {
        this.faults = faults;
        this.secrets = secrets;
        for (Kind kind : Kind.values()) {
            names.put(kind, new HashSet<>());
        }
    }

    List<Prerequisite> all() {
        return all;
    }

    void read(Fields job) {
        for (Child child : job.list("prerequisites", 1)) {
            Fields fields = job.object(child);
            if (fields != null) {
                read(fields, fields.choice("type", KINDS));
            }
        }
    }

    private void read(Fields fields, @Nullable String type) {
        fields.require("name", "type");
        String name = fields.name("name", Shape.V2_NAME);
        if (type == null) {
            // what else it may hold depends on the type; who refers to it is not at fault
            names.values().forEach(some -> some.add(fields.text("name", "")));
            return;
        }
        Kind kind = Kind.valueOf(type.toUpperCase(Locale.ROOT));
        if (name != null && !names.getOrDefault(kind, Set.of()).add(name)) {
            fields.fault("name", "exact.duplicatePrerequisite", type, name);
        }
        ProtocolV2.version(fields);
        About about = ProtocolV2.about(fields);
        if (kind == Kind.DOCKERIMAGE) {
            all.add(image(fields, name == null ? "" : name, about));
        } else {
            all.add(other(fields, kind, name == null ? "" : name, about));
        }
    }

    private Prerequisite image(Fields fields, String name, About about) {
        fields.require("uri");
        String uri = fields.text("uri", "");
        if (uri.isBlank() && fields.isText("uri")) {
            fields.fault("uri", "emptyText");
        }
        Fields auth = fields.object("auth");
        var image = new Prerequisite(
                Kind.DOCKERIMAGE,
                name,
                List.of(uri),
                auth == null ? null : auth(auth, name),
                null,
                List.of(),
                List.of(),
                false,
                about,
                Map.of());
        fields.close();
        return image;
    }

    private Auth auth(Fields fields, String image) {
        String username = fields.text("username");
        String password = fields.text("password");
        String registry = fields.text("registryuri", Auth.DOCKER_HUB);
        fields.close();
        Entry entry = fields.mapping().entry("password");
        if (Secrets.MASK.equals(password)) {
            fields.fault("password", "passwordMasked");
        } else if (password != null && entry != null && !Placeholders.isOnlyOne(password)) {
            password = secrets.placeholder("password_of_" + image, entry, fields.path("password"), faults);
        }
        return new Auth(username, password, registry);
    }

    private Prerequisite other(Fields fields, Kind kind, String name, About about) {
        List<String> uris = kind == Kind.DATA ? fields.texts("uri", 1) : one(fields.text("uri"));
        String plugin = fields.text("plugin");
        if (kind == Kind.DATA && plugin == null) {
            count(fields, uris);
        }
        List<String> require = fields.texts("require", 0);
        boolean ignore = "ignore".equals(fields.choice("failurePolicy", POLICIES));
        List<Hook> callbacks = CMD.equals(plugin) ? callbacks(fields, faults) : List.of();
        return new Prerequisite(kind, name, uris, null, plugin, require, callbacks, ignore, about, fields.unasked());
    }

    private void count(Fields fields, List<String> uris) {
        long before = sources;
        sources += Sources.count(uris);
        if (before <= Sources.MOST && sources > Sources.MOST) {
            fields.fault("uri", "tooManySources", Long.toString(sources), Integer.toString(Sources.MOST));
        }
    }

    private static List<String> one(@Nullable String uri) {
        return uri == null ? List.of() : List.of(uri);
    }

    static List<Hook> callbacks(Fields fields, Faults faults) {
        var callbacks = new ArrayList<Hook>();
        for (Child child : fields.list("callbacks", 0)) {
            Fields callback = fields.object(child);
            if (callback != null) {
                callback.require("event", "commands");
                String event = callback.choice(
                        "event", List.of("taskStarts", "taskSucceeds", "containerStarts", "containerEnds"));
                List<String> commands = callback.texts("commands", 1);
                callback.close();
                if (event != null) {
                    callbacks.add(new Hook(EVENTS.getOrDefault(event, Event.TASK_STARTS), commands));
                }
            }
        }
        return callbacks;
    }

    /** A field of a role that names a prerequisite of a kind. */
    @Nullable
    String named(Fields role, String key, Kind kind) {
        String name = role.text(key);
        if (name != null && !names.getOrDefault(kind, Set.of()).contains(name)) {
            role.fault(key, "exact.noPrerequisite", Fields.brief(name));
        }
        return name;
    }

    List<String> any(Fields role) {
        var found = new LinkedHashMap<String, Child>();
        for (Child child : role.list("prerequisites", 0)) {
            String name = role.text(child);
            if (name != null) {
                found.put(name, child);
                if (names.values().stream().noneMatch(some -> some.contains(name))) {
                    faults.add(child.place(), child.path(), "exact.noPrerequisite", Fields.brief(name));
                }
            }
        }
        return List.copyOf(found.keySet());
    }

    /** Of a plugin only what we would stumble over later. */
    static void plugin(String plugin, Fields parameters, Faults faults) {
        switch (plugin) {
            case "cmd" -> {
                boolean before = !parameters.texts("preCommands", 0).isEmpty();
                boolean after = !parameters.texts("postCommands", 0).isEmpty();
                callbacks(parameters, faults);
                if ((before || after) && parameters.has("callbacks")) {
                    parameters.fault("callbacks", "callbacksOrCommands");
                }
            }
            case "git" -> {
                parameters.require("repo_uri");
                parameters.text("repo_uri");
                parameters.text("clone_dir");
                parameters.texts("options", 0);
            }
            case "tensorboard" -> {
                parameters.integer("port", 1, Protocols.HIGHEST_PORT);
                parameters.object("logdir");
            }
            case "ssh" -> {
                parameters.flag("jobssh", false);
                parameters.flag("sshbarrier", false);
                parameters.integer("sshbarrierTimeout", 0, Protocols.MOST);
            }
            default -> {
                // teamwise_storage: nothing of it is used
            }
        }
    }
}
