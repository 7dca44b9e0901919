package io.sluice.jobs.life.turns;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.LongPredicate;

/** Jobs are looked at one step after the other, as often as something comes up for them, each by one thread at a time. */
public final class Turns {
    private static final int JOBS_AT_ONCE = 16;
    /** Of these so many may be ending: what begins waits for no crowd that ends, nor for an engine that is slow to stop. */
    private static final int ENDS_AT_ONCE = 4;

    private final LongPredicate step;
    private final BiConsumer<Long, Throwable> failed;
    private final Runnable stepped;
    private final BiConsumer<Boolean, Integer> count;
    /** Jobs that are being looked at; true when something came up meanwhile. */
    private final Map<Long, Boolean> busy = new ConcurrentHashMap<>();

    private final Set<Long> again = ConcurrentHashMap.newKeySet();
    /** Jobs that end, or of which a run has. */
    private final Set<Long> ending = ConcurrentHashMap.newKeySet();

    private final Semaphore room = new Semaphore(JOBS_AT_ONCE);
    private final Semaphore ends = new Semaphore(ENDS_AT_ONCE);

    /**
     * @param step of a job; whether there may be another
     * @param failed a step has; the job is looked at again soon
     * @param stepped after a step that may have another
     * @param count so many more turns go on, or wait, of those that end or of the others
     */
    public Turns(
            LongPredicate step,
            BiConsumer<Long, Throwable> failed,
            Runnable stepped,
            BiConsumer<Boolean, Integer> count) {
        this.step = step;
        this.failed = failed;
        this.stepped = stepped;
        this.count = count;
    }

    /** Something may have changed for this job. */
    public void touch(long job) {
        if (Boolean.FALSE.equals(busy.merge(job, false, (before, now) -> true))) {
            Thread.ofVirtual().name("job-" + job).start(() -> work(job));
        }
    }

    /** Its turns are from now on of those of which only a few go at once; whether that is news. */
    public boolean ends(long job) {
        return ending.add(job);
    }

    /** Soon: it is not known whether what was to be done for it is done. */
    public void lookAgain(long job) {
        again.add(job);
    }

    /** The jobs that were to be looked at again. */
    public List<Long> due() {
        var due = List.copyOf(again);
        due.forEach(again::remove);
        return due;
    }

    public boolean isIdle() {
        return busy.isEmpty();
    }

    private void work(long job) {
        do {
            busy.replace(job, false);
            while (turn(job)) {
                stepped.run();
            }
        } while (!busy.remove(job, false));
        ending.remove(job);
    }

    /** One step, when it is the job's turn; whether there may be another. */
    private boolean turn(long job) {
        boolean over = ending.contains(job);
        count.accept(over, 1);
        if (over) {
            ends.acquireUninterruptibly();
        }
        room.acquireUninterruptibly();
        try {
            return step.test(job);
        } catch (Throwable e) { // whatever it is, a job that nobody looks at any more would never end
            lookAgain(job);
            failed.accept(job, e);
            return false;
        } finally {
            room.release();
            if (over) {
                ends.release();
            }
            count.accept(over, -1);
        }
    }
}
