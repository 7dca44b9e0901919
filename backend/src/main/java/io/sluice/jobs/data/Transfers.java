package io.sluice.jobs.data;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.files.Files;
import io.sluice.jobs.Folders;
import io.sluice.jobs.Job;
import io.sluice.jobs.data.Errand.Stage;
import io.sluice.jobs.data.Transfer.State;
import io.sluice.jobs.data.Transfer.Way;
import io.sluice.jobs.data.back.Unfinished;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Clearing;
import io.sluice.jobs.data.care.Lane;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.care.Room;
import io.sluice.jobs.data.care.Turn;
import io.sluice.jobs.data.git.Repositories;
import io.sluice.jobs.data.web.WebLine;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.stores.StoreKeys;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The door to data on its way. Whoever leads asks again and again how far it is, and is answered at once; what is not under way here is taken up,
 * whoever began it.
 */
public final class Transfers {
    private static final System.Logger log = System.getLogger(Transfers.class.getName());

    /** How an attempt stands. */
    public sealed interface Fetch {
        /** All is there. */
        record Ready() implements Fetch {}

        /** @param far how much of it is here; null: not known yet */
        record Going(String what, @Nullable String far) implements Fetch {}

        /** It has not come, and will not, or perhaps at another time. */
        record Failed(String why, boolean passing) implements Fetch {}
    }

    private static final Fetch READY = new Fetch.Ready();
    private static final Fetch ELSEWHERE = new Fetch.Failed(
            "Its other tasks began with the data folder of another gateway, and what they write lies there. It begins"
                    + " when that gateway leads again, or with the next attempt.",
            true);

    private final TransferStore store;
    private final Sources sources;
    private final Files files;
    private final Room room;
    private final Folders folders;
    private final TransferMetrics metrics;
    private final Pace pace;
    private final Lane inputs = new Lane("input");
    private final Lane outputs = new Lane("output");
    private final Unfinished unfinished;
    private final Clearing clearing;
    private final Outgoing outgoing;
    private final Map<Long, Errand> fetching = new ConcurrentHashMap<>();
    /** Attempts that have all they need. */
    private final Map<Long, Integer> ready = new ConcurrentHashMap<>();

    public Transfers(
            Database database,
            StoreKeys keys,
            WebLine web,
            Files files,
            Folders folders,
            CollectorRegistry registry,
            Pace pace) {
        this.store = new TransferStore(database);
        this.files = files;
        this.room = new Room(() -> files.room() - Fetching.SPARE);
        this.folders = folders;
        this.metrics = new TransferMetrics(registry);
        this.sources =
                new Sources(keys, web, new Repositories(web, Repositories.MOST_FILES, metrics::turn), folders, room);
        this.pace = pace;
        this.clearing = new Clearing(files::removedOutputs);
        this.unfinished = new Unfinished(database, registry);
        this.outgoing = new Outgoing(store, metrics, pace, files::place, this::returning);
        mark();
    }

    /** Before the disk may be full: jobs with outputs wait for it. */
    private void mark() {
        try {
            outgoing.place();
        } catch (UncheckedIOException e) { // who needs it tries again
            log.log(Level.WARNING, "inputs=not-marked cause=\"{0}\"", e.getMessage());
        }
    }

    /** Whether anything of a job is moved. */
    private static boolean isAny(JobSpec spec) {
        return !spec.data().fetched().isEmpty() || !spec.data().returned().isEmpty();
    }

    /**
     * What the tasks of an attempt need before they begin. It waits for the database only.
     *
     * @param untouched whether none of them has begun
     */
    public Fetch fetch(Asked asked, boolean untouched) {
        if (!isAny(asked.spec()) || Integer.valueOf(asked.attempt()).equals(ready.get(asked.job()))) {
            return READY;
        }
        Errand errand = fetching.get(asked.job());
        if (errand == null || errand.asked.attempt() != asked.attempt() || errand.asked.epoch() != asked.epoch()) {
            return begun(asked, untouched, errand);
        }
        Stage stage = errand.stage(); // and then what it has come to, which is told
        String place = stage == Stage.DONE ? outgoing.place() : null;
        if (!store.tell(asked.job(), asked.attempt(), asked.epoch(), told(asked, errand), place)
                .await()) {
            errand.leaveOff(); // another leads
        }
        return switch (stage) {
            case WAITING, AT_WORK -> going(errand);
            case DONE -> {
                ready.put(asked.job(), asked.attempt());
                fetching.remove(asked.job(), errand);
                yield READY;
            }
            case FAILED -> {
                if (errand.isPassing()) {
                    fetching.remove(asked.job(), errand);
                }
                yield new Fetch.Failed(why(errand.told()), errand.isPassing());
            }
            case LEFT_OFF -> {
                fetching.remove(asked.job(), errand);
                yield going(errand);
            }
        };
    }

    /** As it was found in the tables, or begun now. */
    private Fetch begun(Asked asked, boolean untouched, @Nullable Errand former) {
        if (former != null && !former.isOver()) {
            former.leaveOff();
            return going(former);
        }
        List<Transfer> known = store.of(asked.job(), asked.attempt()).await();
        List<Transfer> inputs =
                known.stream().filter(one -> one.way() == Way.INPUT).toList();
        if (inputs.stream().anyMatch(one -> one.state() == State.FAILED)) {
            return new Fetch.Failed(why(inputs), false);
        }
        boolean here = outgoing.isHere(asked);
        if (!here && !untouched && !asked.spec().data().returned().isEmpty()) {
            return ELSEWHERE;
        }
        boolean all = inputs.size() == asked.spec().data().fetched().size();
        if (!inputs.isEmpty()
                && all
                && inputs.stream().allMatch(one -> one.state() == State.DONE)
                && outgoing.isSurelyHere(asked)) {
            ready.put(asked.job(), asked.attempt());
            return READY;
        }
        List<Progress> inputsNow = asked.spec().data().fetched().stream()
                .map(one -> new Progress(Way.INPUT, one.name(), one.address()))
                .toList();
        var care = new Care(pace, metrics::again);
        var errand = new Fetching(
                asked, care, inputsNow, files, room, this.inputs.objects(), one -> sources.input(asked, one, care));
        fetching.put(asked.job(), errand);
        launch(this.inputs, errand);
        return going(errand);
    }

    /** With the outputs, which wait for their turn. */
    private static List<Transfer> told(Asked asked, Errand errand) {
        List<Transfer> all = new ArrayList<>();
        for (Transfer one : errand.told()) { // who leads next is to try again, too
            all.add(one.state() == State.FAILED && errand.isPassing() ? one.in(State.WAITING) : one);
        }
        asked.spec().data().returned().stream()
                .map(one -> new Progress(Way.OUTPUT, one.name(), one.address()).told())
                .forEach(all::add);
        return all;
    }

    private void launch(Lane lane, Errand errand) {
        metrics.began(lane.way());
        try {
            lane.take(errand.asked.userId(), () -> {
                metrics.atWork(lane.way());
                errand.run(folders.transfer(errand.asked.job()));
                metrics.ended(lane.way(), errand.stage());
                if (errand instanceof Fetching) {
                    metrics.inputs(errand.told());
                }
            });
        } catch (RejectedExecutionException closed) {
            errand.leaveOff();
            metrics.atWork(lane.way());
            metrics.ended(lane.way(), Stage.LEFT_OFF);
        }
    }

    private Returning returning(Asked asked, Outgoing.Round round) {
        var care = new Care(round.last() ? pace : pace.brief(), metrics::again);
        var wanted = asked.spec().data().returned().stream()
                .map(one -> new Progress(Way.OUTPUT, one.name(), one.address()))
                .toList();
        var errand = new Returning(
                asked,
                care,
                wanted,
                files,
                outputs.objects(),
                sources::place,
                place -> sources.open(asked.userId(), place),
                round.last(),
                round.brought(),
                unfinished);
        launch(outputs, errand);
        return errand;
    }

    /** Its tasks run, and may have written something that is to go elsewhere. The answer is whether it may look different. */
    public boolean follow(Asked asked) {
        boolean any = !asked.spec().data().returned().isEmpty();
        if (any) {
            outgoing.follow(asked);
        }
        return any;
    }

    /** Whether an attempt whose tasks are over has all its outputs where they are to be, or can not have them there. */
    public boolean isReturned(Asked asked) {
        return asked.spec().data().returned().isEmpty() || outgoing.isOver(asked);
    }

    private static Fetch going(Errand errand) {
        var present = errand.present();
        return new Fetch.Going(
                present.map(one -> one.name).orElse(""),
                present.map(Progress::far).orElse(null));
    }

    private static String why(List<Transfer> all) {
        return all.stream()
                .filter(one -> one.state() == State.FAILED)
                .findFirst()
                .map(one -> "Input " + one.name() + " could not be fetched. " + one.message())
                .orElse("Its inputs could not be fetched.");
    }

    /** What is known of all inputs and outputs of a job's present attempt. */
    public Future<List<Transfer>> of(Job job, JobSpec spec) {
        return store.of(job.id(), job.attempt()).map(known -> {
            List<Transfer> all = new ArrayList<>();
            spec.data().inputs().forEach(one -> all.add(Transfer.known(known, Way.INPUT, one)));
            spec.data().outputs().forEach(one -> all.add(Transfer.known(known, Way.OUTPUT, one)));
            return all;
        });
    }

    /** An attempt that is over needs nothing any more; whether nobody is at work for it. */
    public boolean leaveOff(long job) {
        ready.remove(job);
        Errand errand = fetching.get(job);
        if (errand == null || errand.isOver()) {
            fetching.remove(job);
            return true;
        }
        errand.leaveOff();
        return false;
    }

    /** Of a job that is over: what was fetched for it goes. Whoever is at work for it once more comes by again. */
    public void forget(long job, long user) throws IOException {
        outgoing.forget(job);
        if (java.nio.file.Files.exists(folders.transfer(job))) {
            try (Turn turn = Turn.take(folders.transfer(job)).orElse(null)) {
                if (turn != null) {
                    // the input goes last: by that it is found again where this is cut off
                    Repositories.forget(folders.unpacking(job));
                    if (files.removeInput(user, job)) {
                        clearing.begin();
                    }
                    java.nio.file.Files.deleteIfExists(folders.transfer(job));
                }
            }
        }
    }

    /** What a gateway that was killed has left. */
    public void sweep(Function<Set<Long>, Set<Long>> going) throws IOException {
        unfinished.giveUp(sources::abort);
        Map<Long, Long> left = files.inputs();
        if (left.isEmpty()) {
            return;
        }
        Set<Long> wanted = going.apply(left.keySet());
        for (var one : left.entrySet()) {
            if (!wanted.contains(one.getKey())) {
                forget(one.getKey(), one.getValue());
            }
        }
    }

    /** Somebody else leads, or nobody: what is under way here ends. */
    public void lead(long epoch) {
        fetching.values().stream()
                .filter(errand -> errand.asked.epoch() != epoch)
                .forEach(Errand::leaveOff);
        outgoing.lead(epoch);
        ready.clear();
    }

    public void close() {
        lead(-1);
        inputs.close();
        outputs.close();
        clearing.close();
        sources.close();
    }
}
