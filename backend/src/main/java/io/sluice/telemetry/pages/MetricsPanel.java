package io.sluice.telemetry.pages;

import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code telemetry/panel.jte}: what one task and its devices do.
 *
 * @param src where the lines are had
 * @param log of the task, for a click on a chart
 * @param rows the devices, and the task itself last
 * @param idle how many devices have done nothing for long, and {@code idleMinutes} how long all of those at least
 * @param trouble why values are missing, null: none are
 */
public record MetricsPanel(
        boolean begun,
        boolean live,
        String src,
        String log,
        List<Row> rows,
        int devices,
        int idle,
        long idleMinutes,
        double mean,
        double kilowattHours,
        boolean simulated,
        @Nullable Note trouble) {

    public MetricsPanel {
        rows = List.copyOf(rows);
    }

    /** A tool that did not tell what it should, and what it said. */
    public record Note(String vendor, String reason, String detail) {}

    /**
     * @param index of the device, -1: it is the task
     * @param points of its spark, empty: nothing is known
     * @param fault null: it is well
     */
    public record Row(
            String vendor,
            int index,
            String type,
            boolean simulated,
            double load,
            double used,
            double total,
            double watts,
            double celsius,
            String points,
            @Nullable String fault) {

        public boolean isDevice() {
            return index >= 0;
        }

        public String name(View view) {
            return isDevice() ? label(view, vendor, index) : view.t("telemetry.task");
        }

        /** What is known of it now, in one line. */
        public String now(View view) {
            var words = new java.util.ArrayList<String>();
            if (!Double.isNaN(load)) {
                words.add(isDevice() ? view.t("telemetry.percent", load) : view.t("telemetry.cores", load));
            }
            if (!Double.isNaN(used)) {
                words.add(
                        Double.isNaN(total) || total <= 0
                                ? bytes(view, used)
                                : view.t("telemetry.of", gib(used), gib(total)));
            }
            if (!Double.isNaN(watts)) {
                words.add(view.t("telemetry.watts", watts));
            }
            if (!Double.isNaN(celsius)) {
                words.add(view.t("telemetry.celsius", celsius));
            }
            return words.isEmpty() ? view.t("telemetry.unknown") : String.join(" · ", words);
        }
    }

    static String label(View view, String vendor, int index) {
        return view.t(vendor.equals("ascend") ? "telemetry.npu" : "telemetry.gpu", index);
    }

    static double gib(double bytes) {
        return bytes / (1L << 30);
    }

    static String bytes(View view, double bytes) {
        return bytes < (1L << 30) ? view.t("telemetry.mib", bytes / (1 << 20)) : view.t("telemetry.gib", gib(bytes));
    }
}
