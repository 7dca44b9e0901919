package io.sluice.jobs.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Jobs with faults, each a good job with one place changed; bad.txt says which and what must be told. */
final class BadInputs {
    /** Which job, what of it becomes what, and the faults as {@code line:column path key}. */
    record Bad(int number, String base, String from, String to, String faults) {
        String text() {
            if (base.equals("raw")) {
                return filled(to);
            }
            String good = switch (base) {
                case "l2" -> Texts.LEAST_V2;
                case "w2" -> Texts.V2;
                case "l1" -> Texts.LEAST_V1;
                case "w1" -> Texts.V1;
                default -> Texts.of("least-v1.yaml");
            };
            String old = filled(from);
            if (!good.contains(old)) {
                throw new IllegalStateException(number + ": the good job has no " + old);
            }
            int at = good.indexOf(old);
            return good.substring(0, at) + filled(to) + good.substring(at + old.length());
        }

        boolean isJson() {
            return base.equals("l1") || base.equals("w1") || to.startsWith("{");
        }

        @Override
        public String toString() {
            String shown = base + ": " + from + " → " + to;
            return shown.length() > 110 ? shown.substring(0, 110) + "…" : shown;
        }
    }

    private static final String BOMB = """

              a: &a [x, x, x, x, x, x, x, x, x, x]
              b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
              c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
              d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
              e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
              f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]
            """;

    private BadInputs() {}

    static List<Bad> all() {
        List<String> rows = Texts.of("bad.txt")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        var all = new ArrayList<Bad>();
        for (String row : rows) {
            String[] cells = row.split(" ¦ ", -1);
            all.add(new Bad(all.size() + 1, cells[0], cells[1], cells[2], cells.length > 3 ? cells[3] : ""));
        }
        return all;
    }

    static String told(List<Fault> faults) {
        return faults.stream()
                .map(fault -> fault.line() + ":" + fault.column() + " "
                        + (fault.path().isEmpty() ? "-" : shortened(fault.path())) + " " + fault.key())
                .collect(Collectors.joining("; "));
    }

    private static String shortened(String path) {
        return path.replace("n".repeat(256), "LONG");
    }

    private static String filled(String cell) {
        return cell.replace("∅", "")
                .replace("\\\\", "\u0001")
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\u0001", "\\")
                .replace("~LONG~", "n".repeat(256))
                .replace("~NUL~", "\0")
                .replace("~BELL~", "\u0007")
                .replace("~HALF~", "\ud800")
                .replace("~DEEP~", "[".repeat(60) + "]".repeat(60))
                .replace("~JSONDEEP~", "{\"a\":".repeat(60) + "1" + "}".repeat(60))
                .replace("~BOMB~", BOMB)
                .replace("~LARGE~", "# ten megabytes\n".repeat(10 * 1024 * 1024 / 16));
    }
}
