package io.sluice.jobs.protocol;

import io.sluice.jobs.protocol.Fields.Child;
import io.sluice.jobs.protocol.JobSpec.Role;
import io.sluice.jobs.protocol.JobSpec.Storage;
import io.sluice.jobs.protocol.apps.Apps;
import io.sluice.jobs.protocol.data.Data;
import io.sluice.jobs.protocol.document.Item.Scalar;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what {@code extras.sluice} asks for beside the tasks. */
final class OurFields {
    private OurFields() {}

    /** Reads {@code extras.sluice.data}. */
    static final class DataFields {
        private static final int MOST = 20;

        private final List<String> mounts;

        private DataFields(List<String> mounts) {
            this.mounts = mounts;
        }

        /** Only what can be read later is kept. */
        static void read(Fields ours, @Nullable List<Storage> storages, Map<String, Object> kept) {
            Fields data = ours.object(Data.KEY);
            if (data == null) {
                return;
            }
            var reader = new DataFields((storages == null ? List.<Storage>of() : storages)
                    .stream()
                            .map(Storage::mountPath)
                            .flatMap(Stream::ofNullable)
                            .toList());
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("inputs", reader.list(data, "inputs", "from"));
            all.put("outputs", reader.list(data, "outputs", "to"));
            all.values().removeIf(List.of()::equals);
            data.close();
            if (!all.isEmpty()) {
                kept.put(Data.KEY, all);
            }
        }

        private List<Object> list(Fields data, String key, String at) {
            List<Child> children = data.list(key, 0);
            if (children.size() > MOST) {
                data.fault(key, "tooManyData", Integer.toString(children.size()), Integer.toString(MOST));
            }
            List<Object> all = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (Child child : children) {
                Fields one = data.object(child);
                if (one != null) {
                    all.add(Map.of("name", name(one, names), at, address(one, at)));
                    one.close();
                }
            }
            return all;
        }

        private static String name(Fields one, Set<String> names) {
            one.require("name");
            String name = one.text("name");
            if (name == null) {
                return "";
            }
            if (!Data.isName(name)) {
                one.fault("name", "dataName", Fields.brief(name));
            } else if (!names.add(name)) {
                one.fault("name", "duplicateName", name);
            }
            return name;
        }

        private String address(Fields one, String key) {
            one.require(key);
            String address = one.text(key);
            if (address == null) {
                return "";
            }
            if (!Data.isAddress(address)) {
                one.fault(key, "dataAddress", Fields.brief(address));
            } else if (address.startsWith("/") && !Data.isFolder(address, mounts)) {
                one.fault(key, "dataFolder", Fields.brief(address));
            }
            return Objects.requireNonNull(address);
        }
    }

    /** What {@code extras.sluice.endpoints} asks for, so that what can not be had is told before the job holds machines. */
    static final class EndpointFields {
        private static final String KEY = "endpoints";
        private static final int MOST = 20;
        private static final int MOST_SHARED = 100;
        private static final int LONGEST = 1_000;
        private static final int LOWEST_PORT = 1_024;
        private static final Pattern LABEL = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,254}");
        private static final Pattern USER = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

        private final Fields ours;
        private final List<Role> roles;
        private final Apps apps;
        private final Faults faults;
        private final Set<String> names = new HashSet<>();

        private EndpointFields(Fields ours, List<Role> roles, Apps apps, Faults faults) {
            this.ours = ours;
            this.roles = roles;
            this.apps = apps;
            this.faults = faults;
        }

        static void read(Fields ours, List<Role> roles, Apps apps, Faults faults, Map<String, Object> kept) {
            List<Child> all = ours.list(KEY, 0);
            if (all.size() > MOST) {
                ours.fault(KEY, "tooManyEndpoints", Integer.toString(all.size()), Integer.toString(MOST));
            }
            var endpoints = new EndpointFields(ours, roles, apps, faults);
            all.forEach(endpoints::one);
            if (!all.isEmpty()) {
                kept.put(KEY, all.stream().map(child -> child.item().plain()).toList());
            }
        }

        private void one(Child child) {
            if (child.item() instanceof Scalar) {
                String recipe = ours.name(child, Fields.Shape.ENDPOINT);
                if (recipe != null) {
                    if (!isKnown(recipe)) {
                        faults.add(child.place(), child.path(), "choice", Fields.brief(recipe), apps.names());
                    }
                    once(child, recipe);
                }
                return;
            }
            Fields one = ours.object(child);
            if (one == null) {
                return;
            }
            one.require("recipe");
            String recipe = one.name("recipe", Fields.Shape.ENDPOINT);
            String name = one.name("name", Fields.Shape.ENDPOINT);
            if (name != null || (recipe != null && !one.has("name"))) {
                once(child, name == null ? String.valueOf(recipe) : name);
            }
            if (recipe != null && !isKnown(recipe)) {
                one.fault("recipe", "choice", Fields.brief(recipe), apps.names());
            }
            Apps.App app = recipe == null ? null : apps.find(recipe);
            task(one);
            port(one, recipe, app);
            options(one, app);
            shared(one);
            one.close();
        }

        private boolean isKnown(String recipe) {
            return apps.isAny() || apps.find(recipe) != null;
        }

        private void once(Child child, String name) {
            if (!names.add(name)) {
                faults.add(child.place(), child.path(), "endpointTwice", Fields.brief(name));
            }
        }

        private void task(Fields one) {
            String named = one.text("role");
            Role role = roles.stream()
                    .filter(known -> named == null || known.name().equals(named))
                    .findFirst()
                    .orElse(null);
            if (named != null && role == null) {
                one.fault("role", "noRole", Fields.brief(named), ProtocolV2.names(roles));
            }
            one.integer("index", 0, role == null ? Protocols.MOST : role.instances() - 1);
        }

        private static void port(Fields one, @Nullable String recipe, Apps.@Nullable App app) {
            String port = one.version("port");
            if (port == null || app == null) {
                return;
            }
            if (app.begun()) {
                one.fault("port", "endpointPortGiven", String.valueOf(recipe));
            } else if (!isPort(port)) {
                one.fault("port", "endpointPort", Fields.brief(port), Integer.toString(LOWEST_PORT));
            }
        }

        private static boolean isPort(String text) {
            return text.matches("\\d{1,5}")
                    ? Integer.parseInt(text) >= LOWEST_PORT && Integer.parseInt(text) <= Protocols.HIGHEST_PORT
                    : LABEL.matcher(text).matches();
        }

        private static void options(Fields one, Apps.@Nullable App app) {
            Fields options = one.object("options");
            if (options == null || app == null) {
                return;
            }
            for (String name : app.options().stream().sorted().toList()) {
                String value = options.version(name);
                if (value != null && (value.length() > LONGEST || value.chars().anyMatch(Character::isISOControl))) {
                    options.fault(name, "endpointOption", Integer.toString(LONGEST));
                }
            }
            options.close();
        }

        private void shared(Fields one) {
            List<Child> users = one.list("shared", 0);
            if (users.size() > MOST_SHARED) {
                one.fault("shared", "endpointShared", Integer.toString(MOST_SHARED));
            }
            for (Child child : users) {
                String user = one.text(child);
                if (user != null && !USER.matcher(user).matches()) {
                    faults.add(child.place(), child.path(), "endpointShared", Integer.toString(MOST_SHARED));
                }
            }
        }
    }
}
