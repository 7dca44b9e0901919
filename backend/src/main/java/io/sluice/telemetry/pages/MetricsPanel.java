package io.sluice.telemetry.pages;

import io.sluice.telemetry.devices.Reading;
import io.sluice.web.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code telemetry/panel.jte}: what one task and its devices do, or all tasks of a job.
 *
 * @param src where the lines are had
 * @param log of the task, for a click on a chart; empty: there are several
 * @param rows the devices, and the task itself last
 * @param idle of the whole job
 * @param trouble why values are missing, null: none are
 * @param others what else can be looked at
 * @param board the switch to Grafana's panels
 */
public record MetricsPanel(
        boolean begun,
        boolean live,
        String src,
        String log,
        List<Row> rows,
        Idle idle,
        double mean,
        double kilowattHours,
        boolean simulated,
        @Nullable Note trouble,
        List<Other> others,
        Board board) {

    public MetricsPanel {
        rows = List.copyOf(rows);
        others = List.copyOf(others);
    }

    MetricsPanel with(Board other) {
        return new MetricsPanel(
                begun, live, src, log, rows, idle, mean, kilowattHours, simulated, trouble, others, other);
    }

    public boolean hasProcesses() {
        return rows.stream().anyMatch(row -> !row.occupants().isEmpty());
    }

    /**
     * The switch between the two kinds of charts, and what it stands at.
     *
     * @param builtIn the panel with the built-in charts; empty: there is no Grafana, and nothing to choose
     * @param other the panel with Grafana's
     * @param away Grafana was chosen and does not answer
     * @param src of Grafana's, empty: the built-in charts are shown
     */
    public record Board(String builtIn, String other, boolean away, String src) {
        static final Board NONE = new Board("", "", false, "");

        public boolean isChoice() {
            return !builtIn.isEmpty();
        }

        public boolean isShown() {
            return !src.isEmpty();
        }
    }

    /** How many devices have done nothing for so long, all of them at least. */
    public record Idle(int devices, int of, long minutes) {
        static final Idle NONE = new Idle(0, 0, 0);
    }

    /** Other charts, and the words for them with a number. */
    public record Other(String href, String words, int number, boolean here) {}

    /** A tool that did not tell what it should, and what it said. */
    public record Note(String vendor, String reason, String detail) {}

    /**
     * @param task whose it is, empty: there is only one
     * @param index of the device, -1: it is the task
     * @param points of its spark, empty: nothing is known
     * @param fault null: it is well
     * @param occupants processes on it, as far as its tool tells
     */
    public record Row(
            String task,
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
            @Nullable String fault,
            List<Reading.Occupant> occupants) {
        public Row {
            occupants = List.copyOf(occupants);
        }

        Row of(String name) {
            return new Row(
                    name, vendor, index, type, simulated, load, used, total, watts, celsius, points, fault, occupants);
        }

        /** A process on it, in one line. */
        public String process(View view, Reading.Occupant one) {
            String memory = Double.isNaN(one.memory()) ? "" : " · " + bytes(view, one.memory());
            return (one.name().isEmpty() ? "?" : one.name()) + " (" + one.pid() + ")" + memory;
        }

        public boolean isDevice() {
            return index >= 0;
        }

        public String name(View view) {
            String name = isDevice() ? label(view, vendor, index) : view.t("telemetry.task");
            return task.isEmpty() ? name : task + " · " + name;
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
