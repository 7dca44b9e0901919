package io.sluice.telemetry.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the answer to a range query as it comes, straight into the places of a chart: whatever it claims to be, it takes no more room than the
 * chart does. What is no such answer is a failure.
 */
final class Matrix {
    static final int MOST_LINES = 512;
    private static final JsonFactory JSON = new JsonFactory();

    private final JsonParser in;
    private final Axis axis;
    private final List<Line> lines = new ArrayList<>();

    private Matrix(JsonParser in, Axis axis) {
        this.in = in;
        this.axis = axis;
    }

    /** @param first when the first place is, in milliseconds */
    record Axis(long first, long step, int count) {}

    /** One of its lines; labels that it does not have are empty. */
    static final class Line {
        private String task = "";
        private String node = "";
        private String device = "";
        private final float[] values;

        Line(int count) {
            values = new float[count];
            Arrays.fill(values, Float.NaN);
        }

        String task() {
            return task;
        }

        String node() {
            return node;
        }

        String device() {
            return device;
        }

        float[] values() {
            return values;
        }
    }

    static List<Line> of(byte[] answer, Axis axis) throws IOException {
        try (JsonParser in = JSON.createParser(answer)) {
            var matrix = new Matrix(in, axis);
            matrix.whole();
            return matrix.lines;
        }
    }

    private void whole() throws IOException {
        boolean success = false;
        boolean data = false;
        expect(in.nextToken(), JsonToken.START_OBJECT);
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "status" -> success = in.getText().equals("success");
                case "data" -> {
                    data();
                    data = true;
                }
                default -> in.skipChildren();
            }
        }
        if (!success || !data) {
            throw new IOException("this is no answer to a range query");
        }
    }

    private void data() throws IOException {
        boolean matrix = false;
        boolean result = false;
        expect(in.currentToken(), JsonToken.START_OBJECT);
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "resultType" -> matrix = in.getText().equals("matrix");
                case "result" -> {
                    expect(in.currentToken(), JsonToken.START_ARRAY);
                    while (in.nextToken() != JsonToken.END_ARRAY) {
                        line();
                    }
                    result = true;
                }
                default -> in.skipChildren();
            }
        }
        if (!matrix || !result) {
            throw new IOException("the answer is no range");
        }
    }

    private void line() throws IOException {
        if (lines.size() >= MOST_LINES) {
            throw new IOException("it has more than " + MOST_LINES + " lines");
        }
        expect(in.currentToken(), JsonToken.START_OBJECT);
        var line = new Line(axis.count());
        boolean told = false;
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            in.nextToken();
            switch (name) {
                case "metric" -> labels(line);
                case "values" -> {
                    values(line);
                    told = true;
                }
                default -> in.skipChildren();
            }
        }
        if (!told) {
            throw new IOException("it has a line without values");
        }
        lines.add(line);
    }

    private void labels(Line line) throws IOException {
        expect(in.currentToken(), JsonToken.START_OBJECT);
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            expect(in.nextToken(), JsonToken.VALUE_STRING);
            switch (name) {
                case "task_id" -> line.task = in.getText();
                case "node" -> line.node = in.getText();
                case "device" -> line.device = in.getText();
                default -> {}
            }
        }
    }

    private void values(Line line) throws IOException {
        expect(in.currentToken(), JsonToken.START_ARRAY);
        while (in.nextToken() != JsonToken.END_ARRAY) {
            expect(in.currentToken(), JsonToken.START_ARRAY);
            if (!in.nextToken().isNumeric()) {
                throw new IOException("a time is no number");
            }
            double at = in.getDoubleValue() * 1000;
            expect(in.nextToken(), JsonToken.VALUE_STRING);
            float value = number(in.getText());
            expect(in.nextToken(), JsonToken.END_ARRAY);
            long place = Math.round((at - (double) axis.first()) / (double) axis.step());
            if (place >= 0 && place < axis.count() && !Float.isInfinite(value)) {
                line.values[(int) place] = value;
            }
        }
    }

    private static float number(String text) {
        try {
            return (float) Double.parseDouble(text.replace("Inf", "Infinity"));
        } catch (NumberFormatException e) {
            return Float.NaN;
        }
    }

    private static void expect(JsonToken is, JsonToken wanted) throws IOException {
        if (is != wanted) {
            throw new IOException("there is " + is + " where " + wanted + " belongs");
        }
    }
}
