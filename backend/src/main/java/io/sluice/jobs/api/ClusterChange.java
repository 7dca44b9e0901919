package io.sluice.jobs.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.identity.grants.Grants.Holders;
import io.sluice.jobs.Json;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.clusters.IdleRule;
import io.sluice.web.Problem;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What somebody sent to be changed of a virtual cluster. A field that is not there stays as it is; null lifts a limit. */
record ClusterChange(ObjectNode fields) {
    private static final List<String> KNOWN =
            List.of("description", "cpus", "memoryMB", "devices", "users", "groups", "idle");

    static ClusterChange of(ObjectNode fields) {
        fields.fieldNames().forEachRemaining(name -> {
            if (!KNOWN.contains(name)) {
                throw Problem.invalid("There is no field " + name + " here. Fields: " + String.join(", ", KNOWN) + ".");
            }
        });
        return new ClusterChange(fields);
    }

    Cluster applied(Cluster old) {
        return new Cluster(
                old.name(),
                fields.has("description") ? text("description", fields.get("description")) : old.description(),
                fields.has("cpus") ? limit("cpus", fields.get("cpus")) : old.cpus(),
                fields.has("memoryMB") ? limit("memoryMB", fields.get("memoryMB")) : old.memoryMB(),
                fields.has("devices") ? devices(fields.get("devices")) : old.devices(),
                old.stopped(),
                fields.has("idle") ? idle(fields.get("idle")) : old.idle());
    }

    /** Null: whoever it is granted to stays. */
    @Nullable
    Holders holders(Holders old) {
        return fields.has("users") || fields.has("groups")
                ? new Holders(
                        fields.has("users") ? names("users") : old.users(),
                        fields.has("groups") ? names("groups") : old.groups())
                : null;
    }

    private static String text(String name, JsonNode value) {
        if (!value.isTextual()) {
            throw Problem.invalid(name + " is a text.");
        }
        return value.textValue();
    }

    private static @Nullable Integer limit(String name, JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw Problem.invalid(name + " is a whole number, or null for no limit.");
        }
        return value.intValue();
    }

    private static Map<String, Integer> devices(JsonNode value) {
        if (!value.isObject() && !value.isNull()) {
            throw Problem.invalid("devices is an object of type and count, like {\"H100\": 8}; any counts all types.");
        }
        Map<String, Integer> devices = new TreeMap<>();
        value.properties().forEach(one -> {
            Integer most = limit("devices." + one.getKey(), one.getValue());
            if (most != null) {
                devices.put(one.getKey(), most);
            }
        });
        return devices;
    }

    /** What is not said of a rule is as usual. */
    private static @Nullable IdleRule idle(JsonNode value) {
        if (value.isNull()) {
            return null;
        }
        if (!value.isObject()) {
            throw Problem.invalid("idle is an object, or null for no rule.");
        }
        ObjectNode rule = (ObjectNode) Json.tree(IdleRule.USUAL);
        value.fieldNames().forEachRemaining(name -> {
            if (!rule.has(name)) {
                throw Problem.invalid("There is no field idle." + name + " here.");
            }
        });
        rule.setAll((ObjectNode) value);
        try {
            return Json.of(rule, IdleRule.class);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(
                    "idle: minutes, utilisation, memory, patience and keepHours are whole numbers; quiet, unused and mail"
                            + " are true or false; then is WARN, STOP or REQUEUE; webhook is a text.");
        }
    }

    private List<String> names(String field) {
        JsonNode value = fields.get(field);
        if (!value.isArray() || !value.valueStream().allMatch(JsonNode::isTextual)) {
            throw Problem.invalid(field + " is a list of names.");
        }
        return value.valueStream().map(JsonNode::textValue).distinct().toList();
    }
}
