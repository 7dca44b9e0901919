package io.sluice.jobs.data;

import io.sluice.jobs.data.Errand.Stage;
import io.sluice.jobs.data.Transfer.State;
import io.sluice.jobs.data.Transfer.Way;
import io.sluice.jobs.data.back.Brought;
import io.sluice.jobs.data.care.Pace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The outputs of all attempts that this gateway brings back: now and then while tasks run, and a last time when none does any more. */
final class Outgoing {
    static final String KEPT = " What could not be brought back is kept in /output, on this job's page.";

    private static final String FAR =
            "What its tasks wrote lies in the data folder of another gateway, which does not lead now. It was not"
                    + " brought back, and is kept in /output there; ask your administrator.";

    /** Files of all jobs, each with 16 bytes or less. */
    private static final long REMEMBERED = 4_000_000;

    private final TransferStore store;
    private final TransferMetrics metrics;
    private final Pace pace;
    private final Whereabouts whereabouts;
    private final BiFunction<Asked, Round, Returning> launch;
    private final Map<Long, Round> rounds = new ConcurrentHashMap<>();

    /**
     * One round.
     *
     * @param errand null: not begun yet
     * @param brought what the rounds before have brought
     * @param since when, of this machine's own measure
     */
    record Round(@Nullable Returning errand, Brought brought, boolean last, long since) {}

    /** Tells in which data folder this is. */
    @FunctionalInterface
    interface Whereabouts {
        String place() throws IOException;
    }

    /** @param launch begins a round */
    Outgoing(
            TransferStore store,
            TransferMetrics metrics,
            Pace pace,
            Whereabouts whereabouts,
            BiFunction<Asked, Round, Returning> launch) {
        this.whereabouts = whereabouts;
        this.store = store;
        this.metrics = metrics;
        this.pace = pace;
        this.launch = launch;
    }

    String place() {
        try {
            return whereabouts.place();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether an attempt's files are here, as far as it is known where they are. */
    boolean isHere(Asked asked) {
        return isHere(store.place(asked.job(), asked.attempt()).await().orElse(""));
    }

    /** Whether it is written down that they are: what came is so once all of it has. */
    boolean isSurelyHere(Asked asked) {
        return store.place(asked.job(), asked.attempt())
                .await()
                .filter(this::isHere)
                .isPresent();
    }

    private boolean isHere(String place) {
        return place.isEmpty() || place.equals(place());
    }

    /** Its tasks run. */
    void follow(Asked asked) {
        Round round =
                rounds.computeIfAbsent(asked.job(), job -> new Round(null, new Brought(), false, System.nanoTime()));
        Returning errand = round.errand();
        boolean same = errand != null && errand.asked.attempt() == asked.attempt();
        if (errand != null && !errand.isOver()) {
            tell(asked, errand);
        } else if (same && errand != null && round.since() < errand.ended()) {
            // its end begins the pause
            tell(asked, errand);
            rounds.put(asked.job(), new Round(errand, round.brought(), false, System.nanoTime()));
        } else if (System.nanoTime() - round.since() >= pace.every().toNanos()) {
            if (isHere(asked)) {
                begin(asked, round, false);
            } else { // it would be what an attempt before has written
                rounds.put(asked.job(), new Round(null, round.brought(), false, System.nanoTime()));
            }
        }
    }

    private void begin(Asked asked, Round before, boolean last) {
        long remembered = rounds.values().stream()
                .mapToLong(round -> round.brought().count())
                .sum();
        metrics.remembered(remembered);
        if (remembered > REMEMBERED) {
            before.brought().become(new Brought()); // the store is asked again what it has
        }
        var round = new Round(null, before.brought(), last, System.nanoTime());
        rounds.put(asked.job(), new Round(launch.apply(asked, round), round.brought(), last, round.since()));
    }

    /** Whether all is there of an attempt whose tasks are over, or it is given up. It waits for the database only. */
    boolean isOver(Asked asked) {
        Round round = rounds.get(asked.job());
        Returning errand = round == null ? null : round.errand();
        if (errand == null || errand.asked.attempt() != asked.attempt() || !errand.isLast()) {
            return isKnown(asked) || isOutOfReach(asked) || takenUp(asked, round, errand);
        }
        Stage stage = errand.stage(); // and then what it has come to, which is told
        boolean ours = tell(asked, errand);
        return switch (stage) {
            case WAITING, AT_WORK -> false;
            case DONE -> ours && forget(asked.job());
            case FAILED -> {
                if (ours) {
                    store.lost(asked.job(), asked.epoch(), why(errand)).await();
                }
                yield ours && forget(asked.job());
            }
            case LEFT_OFF -> {
                rounds.remove(asked.job());
                yield false;
            }
        };
    }

    /** By what is stored: another gateway has seen to it. */
    private boolean isKnown(Asked asked) {
        List<Transfer> outputs = store.of(asked.job(), asked.attempt()).await().stream()
                .filter(one -> one.way() == Way.OUTPUT)
                .toList();
        // nothing is stored of an attempt that never had its machines to itself
        return outputs.stream().allMatch(one -> one.state() == State.DONE || one.state() == State.FAILED);
    }

    /** No task has begun, or what they wrote lies with another gateway. */
    private boolean isOutOfReach(Asked asked) {
        Optional<String> place = store.place(asked.job(), asked.attempt()).await();
        if (place.isEmpty() || isHere(place.get())) {
            return place.isEmpty();
        }
        List<Transfer> news = asked.spec().data().returned().stream()
                .map(one -> {
                    var lost = new Progress(Way.OUTPUT, one.name(), one.address());
                    lost.state = State.FAILED;
                    lost.message = FAR;
                    return lost.told();
                })
                .toList();
        if (!store.tell(asked.job(), asked.attempt(), asked.epoch(), news, null).await()) {
            return false;
        }
        store.lost(asked.job(), asked.epoch(), FAR).await();
        return true;
    }

    private boolean takenUp(Asked asked, @Nullable Round round, @Nullable Returning errand) {
        if (errand != null && !errand.isOver()) {
            errand.leaveOff();
            return false;
        }
        begin(asked, round == null ? new Round(null, new Brought(), true, System.nanoTime()) : round, true);
        return false;
    }

    private boolean tell(Asked asked, Returning errand) {
        List<Transfer> news = new ArrayList<>();
        for (Transfer one : errand.told()) {
            boolean again = one.state() == State.FAILED && !errand.isLast();
            news.add(again ? one.in(State.WAITING) : one);
        }
        return store.tell(asked.job(), asked.attempt(), asked.epoch(), news, null)
                .await();
    }

    private static String why(Errand errand) {
        return errand.told().stream()
                .filter(one -> one.state() == State.FAILED)
                .findFirst()
                .map(one -> "Output " + one.name() + ": " + one.message())
                .orElse("Its outputs could not be brought back.");
    }

    boolean forget(long job) {
        rounds.remove(job);
        return true;
    }

    void lead(long epoch) {
        rounds.values().forEach(round -> {
            Returning errand = round.errand();
            if (errand != null && errand.asked.epoch() != epoch && errand.stage() != Stage.DONE) {
                errand.leaveOff();
            }
        });
    }
}
