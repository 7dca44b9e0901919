package io.sluice.jobs.data;

import io.sluice.files.Files;
import io.sluice.files.quota.Tally;
import io.sluice.files.space.Removal;
import io.sluice.files.tree.Folder;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.sluice.jobs.data.Input.Amount;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Crew;
import io.sluice.jobs.data.care.Room;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** Brings an attempt its inputs, and makes the folders that its outputs are to be written to. */
final class Fetching extends Errand {
    private static final System.Logger log = System.getLogger(Fetching.class.getName());
    /** What has not come wholly yet; no input has such a name. */
    private static final String ASIDE = ".sluice";

    /** So much stays free on the disk for everybody else. */
    static final long SPARE = 1L << 30;

    /** Finds where an input comes from. */
    @FunctionalInterface
    interface Finder {
        Input of(Progress one) throws IOException;
    }

    private final Files files;
    private final Room room;
    private final Executor threads;
    private final Finder finder;

    Fetching(Asked asked, Care care, List<Progress> all, Files files, Room room, Executor threads, Finder finder) {
        super(asked, care, all);
        this.files = files;
        this.room = room;
        this.threads = threads;
        this.finder = finder;
    }

    @Override
    void work() throws Exception {
        outputs();
        if (all.isEmpty()) {
            return;
        }
        Path root = care.of(() -> files.input(asked.userId(), asked.user(), asked.job()));
        Map<Progress, Input> inputs = new LinkedHashMap<>();
        try (Folder top = Folder.open(root, Owner.of(root))) {
            Amount whole = survey(inputs);
            room(whole, Tally.of(root));
            for (var input : inputs.entrySet()) {
                fetch(top, input.getKey(), input.getValue());
            }
            Removal.ifThere(top, ASIDE);
        } finally {
            inputs.values().forEach(Input::close);
            room.end(asked.job());
        }
    }

    private void outputs() throws IOException {
        var wanted = asked.spec().data().returned();
        if (wanted.isEmpty()) {
            return;
        }
        Path root = care.of(() -> files.output(asked.userId(), asked.user(), asked.name()));
        try (Folder top = Folder.open(root, Owner.of(root))) {
            for (var output : wanted) {
                top.made(Place.ROOT.with(output.name())).close();
            }
        }
    }

    private Amount survey(Map<Progress, Input> inputs) throws IOException {
        long count = 0;
        long bytes = 0;
        for (Progress one : all) {
            one.state = Transfer.State.MOVING;
            Input input = finder.of(one);
            inputs.put(one, input);
            Amount amount = input.survey();
            one.allFiles = amount.files();
            one.allBytes = amount.bytes();
            one.state = Transfer.State.WAITING;
            count += amount.files();
            bytes += amount.bytes();
        }
        return new Amount(count, bytes);
    }

    /** What is there already, of an attempt before or because a gateway was killed, is not counted twice. */
    private void room(Amount whole, Tally there) throws IOException {
        long bytes = Math.max(0, whole.bytes() - there.bytes());
        long count = Math.max(0, whole.files() - there.files());
        if (!room.promise(asked.job(), bytes, () -> Math.min(bytes, left()))) {
            throw new IOException("Its inputs have " + (bytes >> 20) + " MiB more, and the disk of this gateway has "
                    + (room.bytes(asked.job()) >> 20) + " MiB for them. Name less, or ask your administrator.");
        }
        var quotas = files.quotas();
        if (quotas.isPresent()) {
            care.of(() -> quotas.get().room(asked.userId(), bytes, count).await());
            care.of(() -> quotas.get().add(asked.userId(), bytes, count).await());
        }
    }

    private long left() {
        return all.stream().mapToLong(Progress::left).sum();
    }

    private void fetch(Folder top, Progress one, Input input) throws IOException {
        one.state = Transfer.State.MOVING;
        if (input.isFresh()) {
            Removal.ifThere(top, one.name);
        }
        try (Folder aside = top.made(Place.ROOT.with(ASIDE));
                Folder own = top.made(Place.ROOT.with(one.name))) {
            input.fetch(new Landing(own, aside, one, care), new Crew(threads));
        }
        one.state = Transfer.State.DONE;
        log.log(
                Level.INFO,
                "job={0} input={1} files={2} bytes={3}",
                Long.toString(asked.job()),
                one.name,
                one.files.toString(),
                one.bytes.toString());
    }
}
