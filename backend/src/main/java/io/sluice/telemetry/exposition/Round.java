package io.sluice.telemetry.exposition;

import io.sluice.telemetry.observe.Observation;
import io.sluice.telemetry.observe.Observation.Doing;
import io.sluice.telemetry.observe.Observation.Seen;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** One observation with its label sets beside it, and how a family of it is written: no object for a sample. Used by one thread at a time. */
final class Round {
    private static final byte[] PID = ascii(",pid=\"");
    private static final byte QUOTE = '"';

    private final Labels labels = new Labels();
    private final Map<String, byte[]> names = new HashMap<>();
    private final List<OfDevice> devices = new ArrayList<>();
    private final List<OfTask> tasks = new ArrayList<>();
    private final Text out;
    private Observation seen = Observation.NOTHING;

    Round(Text out) {
        this.out = out;
    }

    Round of(Observation now) {
        seen = now;
        labels.next(now.devices().size() + now.tasks().size());
        devices.clear();
        tasks.clear();
        for (Seen device : now.devices()) {
            devices.add(labels.of(device));
        }
        for (Doing doing : now.tasks()) {
            tasks.add(labels.of(doing.holder()));
        }
        return this;
    }

    Observation seen() {
        return seen;
    }

    OfDevice device(int at) {
        return devices.get(at);
    }

    OfTask task(int at) {
        return tasks.get(at);
    }

    /** NaN: this device has no line. */
    void devices(String name, String type, String help, Function<OfDevice, byte[]> of, ToDoubleFunction<Seen> value) {
        boolean begun = false;
        byte[] encoded = name(name);
        List<Seen> all = seen.devices();
        for (int at = 0; at < devices.size(); at++) {
            double number = value.applyAsDouble(all.get(at));
            if (!Double.isNaN(number)) {
                begun = begun || head(name, type, help);
                line(encoded, of.apply(devices.get(at)), number);
            }
        }
    }

    /** Only those that somebody holds. */
    void held(String name, String help, Function<OfDevice, byte[]> of, ToDoubleFunction<Seen> value) {
        devices(name, "gauge", help, of, one -> one.holder() == null ? Double.NaN : value.applyAsDouble(one));
    }

    void tasks(String name, String type, String help, Function<OfTask, byte[]> of, ToDoubleFunction<Doing> value) {
        boolean begun = false;
        byte[] encoded = name(name);
        List<Doing> all = seen.tasks();
        for (int at = 0; at < tasks.size(); at++) {
            double number = value.applyAsDouble(all.get(at));
            if (!Double.isNaN(number)) {
                begun = begun || head(name, type, help);
                line(encoded, of.apply(tasks.get(at)), number);
            }
        }
    }

    boolean head(String name, String type, String help) {
        out.add(ascii("# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n"));
        return true;
    }

    void line(byte[] name, byte[] of, double number) {
        out.add(name);
        line(of, number);
    }

    /** One whose labels are a process of something. */
    void process(byte[] name, byte[] begun, long pid, byte[] ended, double number) {
        out.add(name);
        out.add(begun);
        out.add(PID);
        out.add(pid);
        out.add(QUOTE);
        line(ended, number);
    }

    private void line(byte[] of, double number) {
        out.add(of);
        out.add(number);
        out.add((byte) '\n');
    }

    byte[] name(String name) {
        return names.computeIfAbsent(name, Round::ascii);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
