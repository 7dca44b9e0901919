package io.sluice.jobs.gang;

import io.sluice.jobs.Json;
import io.sluice.jobs.gang.Gang.Member;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** TF_CONFIG. A job of one task has none: a cluster of one without a chief is an error to an Estimator. */
final class TensorFlowCluster {
    private static final Set<String> KNOWN = Set.of("chief", "master", "ps", "worker", "evaluator");
    private static final String EVALUATOR = "evaluator";

    private TensorFlowCluster() {}

    /** The part that all tasks have in common; empty where there is no cluster or not all have their places. */
    static Optional<String> of(Gang gang) {
        if (gang.members().size() < 2 || !gang.isComplete()) {
            return Optional.empty();
        }
        Map<String, List<String>> cluster = new LinkedHashMap<>();
        for (var role : gang.spec().roles()) {
            String type = type(gang, role.name());
            if (!type.equals(EVALUATOR)) {
                cluster.put(
                        type,
                        gang.members().stream()
                                .filter(member -> member.role().equals(role.name()))
                                .map(member -> member.address() + ":" + member.port("http"))
                                .toList());
            }
        }
        return Optional.of(Json.write(cluster));
    }

    static String config(Gang gang, String cluster, Member member) {
        return "{\"cluster\":" + cluster + ",\"task\":"
                + Json.write(new Task(type(gang, member.role()), member.index())) + "}";
    }

    private record Task(String type, int index) {}

    /** The only role of a job is its workers, whatever it is called. */
    private static String type(Gang gang, String role) {
        String plain = Gang.plain(role);
        if (KNOWN.contains(plain) && Gang.isOnly(gang.spec(), plain)) {
            return plain;
        }
        return gang.spec().roles().size() == 1 ? "worker" : role;
    }
}
