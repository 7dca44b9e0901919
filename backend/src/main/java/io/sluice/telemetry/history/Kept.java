package io.sluice.telemetry.history;

import io.sluice.telemetry.history.Lines.Line;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is kept of one task attempt. */
public final class Kept {
    private final long task;
    private final List<Line> lines;
    private final Track track;
    private final Coarse coarse;
    private final List<Tally> tallies;
    private double cpuSeconds = Double.NaN;
    private @Nullable Instant last;
    private volatile long stored;

    private Kept(long task, List<Line> lines, Coarse coarse, List<Tally> tallies) {
        this.task = task;
        this.lines = List.copyOf(lines);
        this.track = new Track(lines.size());
        this.coarse = coarse;
        this.tallies = tallies;
    }

    static Kept begun(long task, List<Seen> devices) {
        List<Line> lines = Lines.of(devices);
        var tallies = new ArrayList<Tally>();
        lines.forEach(line -> tallies.add(new Tally()));
        return new Kept(task, lines, new Coarse(lines.size()), tallies);
    }

    synchronized void take(Instant at, Doing doing, List<Seen> devices, int most) {
        double[] row = new double[lines.size()];
        for (int line = 0; line < row.length; line++) {
            row[line] = Lines.value(lines.get(line), doing.rates(), devices);
        }
        if (doing.usage() != null) {
            cpuSeconds = doing.usage().cpuSeconds();
        }
        add(at, row, most);
    }

    public long task() {
        return task;
    }

    public List<Line> lines() {
        return lines;
    }

    Track track() {
        return track;
    }

    Coarse coarse() {
        return coarse;
    }

    synchronized Tally tally(int line) {
        return tallies.get(line).copy();
    }

    /** Whether it is about the same devices. */
    boolean isLike(Kept other) {
        return lines.equals(other.lines);
    }

    /** Goes on with what was taken while this could not be read. */
    synchronized Kept with(Kept younger, int most) {
        Track.Points points = younger.track.points(Long.MIN_VALUE, Long.MAX_VALUE);
        double[] row = new double[lines.size()];
        for (int at = 0; at < points.size(); at++) {
            for (int line = 0; line < row.length; line++) {
                row[line] = points.values()[line][at];
            }
            add(Instant.ofEpochMilli(points.times()[at]), row, most);
        }
        cpuSeconds = Double.isNaN(younger.cpuSeconds) ? cpuSeconds : younger.cpuSeconds;
        return this;
    }

    private void add(Instant at, double[] row, int most) {
        Instant before = last;
        double passed = before == null
                ? 0
                : (double) java.time.Duration.between(before, at).toMillis() / 1000;
        for (int line = 0; line < row.length; line++) {
            tallies.get(line).add(row[line], passed);
        }
        track.add(at.toEpochMilli(), row, most);
        coarse.add(at.toEpochMilli(), row);
        last = at;
    }

    synchronized double cpuSeconds() {
        return cpuSeconds;
    }

    long stored() {
        return stored;
    }

    void stored(long nanos) {
        stored = nanos;
    }

    /** The last values of a line, as far as they are in memory, else as they are kept of its whole life. */
    public float[] tail(String metric, @Nullable String device, int most) {
        for (int at = 0; at < lines.size(); at++) {
            Line line = lines.get(at);
            if (line.metric().equals(metric) && Objects.equals(line.device(), device)) {
                float[] tail = track.tail(at, most);
                return tail.length > 1 ? tail : coarse.points().values()[at];
            }
        }
        return new float[0];
    }

    synchronized JsonObject toJson() {
        Track.Points points = coarse.points();
        var all = new JsonArray();
        for (int line = 0; line < lines.size(); line++) {
            Line about = lines.get(line);
            var values = new JsonArray();
            for (float value : points.values()[line]) {
                values.add(Float.isNaN(value) ? null : (Double) Series.round(value));
            }
            all.add(new JsonObject()
                    .put("metric", about.metric())
                    .put("device", about.device())
                    .put("index", about.index())
                    .put("type", about.type())
                    .put("simulated", about.simulated())
                    .put("tally", tallies.get(line).toJson())
                    .put("values", values));
        }
        return new JsonObject()
                .put("from", coarse.from())
                .put("step", coarse.step())
                .put("cpuSeconds", Double.isNaN(cpuSeconds) ? null : (Double) cpuSeconds)
                .put("lines", all);
    }

    static Kept of(long task, JsonObject json) {
        var lines = new ArrayList<Line>();
        var tallies = new ArrayList<Tally>();
        var values = new ArrayList<float[]>();
        for (Object one : json.getJsonArray("lines", new JsonArray())) {
            JsonObject line = (JsonObject) one;
            lines.add(new Line(
                    Objects.requireNonNull(line.getString("metric")),
                    line.getString("device"),
                    line.getInteger("index", 0),
                    line.getString("type", ""),
                    line.getBoolean("simulated", false)));
            tallies.add(Tally.of(line.getJsonObject("tally", new JsonObject())));
            JsonArray points = line.getJsonArray("values", new JsonArray());
            float[] read = new float[points.size()];
            for (int at = 0; at < read.length; at++) {
                Number number = (Number) points.getValue(at);
                read[at] = number == null ? Float.NaN : number.floatValue();
            }
            values.add(read);
        }
        var kept = new Kept(
                task,
                lines,
                Coarse.of(json.getLong("from", 0L), json.getLong("step", 5_000L), values.toArray(float[][]::new)),
                tallies);
        Double cpu = json.getDouble("cpuSeconds");
        kept.cpuSeconds = cpu == null ? Double.NaN : cpu;
        return kept;
    }
}
