package io.sluice.jobs.gang;

import io.sluice.jobs.gang.PaiVariables.Self;
import io.sluice.jobs.protocol.Distribution;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/** What it takes to tell the tasks of large jobs of one another; run by {@code ./sluice bench gang}. */
public final class GangBench {
    private static final int REPEATS = 15;
    /** Tasks are started so many at a time, and each time what they are told is made anew. */
    private static final int LOT = 16;

    private final PrintStream out;

    private GangBench(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) {
        new GangBench(System.out).run();
    }

    private void run() {
        Gang ranks = Gangs.gang(Gangs.spec("", "worker 512 8"), "ascend");
        for (var form : Distribution.RankTable.values()) {
            if (form != Distribution.RankTable.NONE) {
                measure(
                        "rank table of 4,096 ranks, " + form.name().toLowerCase(Locale.ROOT),
                        50,
                        () -> RankTable.of(ranks, form).orElseThrow().json().length());
            }
        }
        Gang tasks = Gangs.gang(Gangs.spec("", "worker 512 1"), "nvidia");
        measure("what each of 512 tasks finds, in lots of 16", 2000, () -> told(tasks));
    }

    private static long told(Gang gang) {
        long size = 0;
        for (int from = 0; from < gang.members().size(); from += LOT) {
            var contract = new Contract(gang, "/userhome");
            size += contract.hostFile().length();
            for (int index = from; index < from + LOT; index++) {
                size += contract.environment(new Self("worker", index, 0, 0, "run", "/userhome"))
                        .size();
            }
        }
        return size;
    }

    private void measure(String what, int allowed, LongSupplier work) {
        long made = work.getAsLong() + work.getAsLong();
        double[] times = new double[REPEATS];
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            long from = System.nanoTime();
            made += work.getAsLong();
            times[repeat] = (System.nanoTime() - from) / 1e6;
        }
        Arrays.sort(times);
        out.printf(
                Locale.ROOT,
                "%-48s median %7.2f ms, worst %7.2f, allowed %d; %d made%n",
                what,
                times[REPEATS / 2],
                times[REPEATS - 1],
                allowed,
                made);
    }
}
