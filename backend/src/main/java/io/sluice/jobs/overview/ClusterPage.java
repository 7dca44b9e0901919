package io.sluice.jobs.overview;

import io.sluice.identity.grants.Grants.Holders;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code jobs/clusters.jte}, for GET /virtual-clusters.
 *
 * @param fresh the form for another one; for administrators
 */
public record ClusterPage(
        List<Row> rows, @Nullable Form fresh, @Nullable Note note) {
    public ClusterPage {
        rows = List.copyOf(rows);
    }

    /**
     * @param open whether the viewer may submit to it
     * @param form to change it; for administrators
     */
    public record Row(
            HomePage.Cluster cluster,
            String description,
            boolean open,
            @Nullable Form form) {}

    /**
     * As it was typed.
     *
     * @param devices by type; all types that machines have or the quota names, and {@code any}
     * @param fixed the name is not to be typed
     */
    public record Form(
            String name,
            boolean fixed,
            String description,
            String cpus,
            String memory,
            Map<String, String> devices,
            String users,
            String groups,
            IdleForm idle,
            Faults faults) {
        private static final BigDecimal GIB = BigDecimal.valueOf(1024);

        static Form empty(List<String> types) {
            return of(new Cluster("", "", null, null, Map.of(), false), Holders.NOBODY, types, "", false);
        }

        /** @param secret with which its webhook is signed */
        static Form of(Cluster cluster, Holders holders, List<String> types, String secret) {
            return of(cluster, holders, types, secret, true);
        }

        private static Form of(Cluster cluster, Holders holders, List<String> types, String secret, boolean fixed) {
            Map<String, String> devices = new TreeMap<>();
            types.forEach(type -> devices.put(type, ""));
            cluster.devices().forEach((type, most) -> devices.put(type, most.toString()));
            return new Form(
                    cluster.name(),
                    fixed,
                    cluster.description(),
                    text(cluster.cpus()),
                    gib(cluster.memoryMB()),
                    devices,
                    String.join(", ", holders.users()),
                    String.join(", ", holders.groups()),
                    IdleForm.of(cluster.idle(), secret),
                    Faults.NONE);
        }

        private static String text(@Nullable Integer number) {
            return number == null ? "" : number.toString();
        }

        private static String gib(@Nullable Integer megabytes) {
            return megabytes == null
                    ? ""
                    : BigDecimal.valueOf(megabytes)
                            .divide(GIB)
                            .stripTrailingZeros()
                            .toPlainString();
        }

        public boolean isRefused() {
            return !faults.equals(Faults.NONE);
        }

        public boolean isDefault() {
            return fixed && name.equals(Cluster.DEFAULT);
        }

        Form refused(Faults why) {
            return new Form(name, fixed, description, cpus, memory, devices, users, groups, idle, why);
        }
    }
}
