package io.sluice.jobs.exits;

import io.sluice.jobs.exits.ExitSpec.Behavior;
import io.sluice.jobs.exits.ExitSpec.Causer;
import io.sluice.jobs.exits.ExitSpec.Issuer;
import io.sluice.jobs.exits.ExitSpec.Reaction;
import io.sluice.jobs.exits.ExitSpec.Stage;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Every exit code that has a meaning. What the API says of them is English; in the reader's language their reasons stand
 * under {@link #reasonKey}, what to do under {@link #solutionKeys}.
 */
public final class ExitCatalogue {
    public static final int SUCCEEDED = 0;
    public static final int STOPPED_BY_USER = -210;
    public static final int STOPPED_BY_COMPLETION = -220;
    public static final int OVER_TIME = -1004;
    public static final int NODE_LOST = -1001;
    public static final int OUT_OF_MEMORY = -1200;
    public static final int NOT_RECOGNISED = 255;
    private static final int OTHER_POSITIVE = 256;
    private static final int OTHER_NEGATIVE = -8000;
    private static final int COLUMNS = 10;

    private static final Map<Integer, ExitSpec> SPECS = new LinkedHashMap<>();
    private static final Map<Integer, List<String>> SOLUTIONS = new LinkedHashMap<>();

    static {
        for (String row : Lines.of("catalogue.txt")) {
            String[] cells = row.split("\\|", COLUMNS);
            int code = Integer.parseInt(cells[0]);
            List<String> solutions = cells[8].isEmpty()
                    ? List.of()
                    : List.of(cells[8].split(" ", -1)).stream()
                            .map(name -> "exit.solution." + name)
                            .toList();
            SOLUTIONS.put(code, solutions);
            SPECS.put(code, spec(code, cells, solutions));
        }
    }

    private ExitCatalogue() {}

    private static ExitSpec spec(int code, String[] cells, List<String> solutions) {
        return new ExitSpec(
                code,
                cells[1],
                Issuer.valueOf(cells[2]),
                Causer.valueOf(cells[3]),
                ExitSpec.Type.valueOf(cells[4]),
                Stage.valueOf(cells[5]),
                Behavior.valueOf(cells[6]),
                Reaction.valueOf(cells[7]),
                Lines.english("exit.reason." + code),
                List.of(cells[9]),
                solutions.stream().map(Lines::english).toList());
    }

    /** A code that is not listed gets the spec of its kind, with its own number. */
    public static ExitSpec of(int code) {
        ExitSpec spec = SPECS.get(listed(code));
        if (spec == null) {
            throw new IllegalStateException("the catalogue lacks " + listed(code));
        }
        return spec.code() == code ? spec : spec.withCode(code);
    }

    public static Collection<ExitSpec> all() {
        return Collections.unmodifiableCollection(SPECS.values());
    }

    /** Under which text the reason of a code stands. */
    public static String reasonKey(int code) {
        return "exit.reason." + listed(code);
    }

    /** Under which texts stands what to do, the likeliest first; none where nothing is to be done. */
    public static List<String> solutionKeys(int code) {
        return SOLUTIONS.getOrDefault(listed(code), List.of());
    }

    private static int listed(int code) {
        return SPECS.containsKey(code) ? code : code > 0 ? OTHER_POSITIVE : OTHER_NEGATIVE;
    }
}
