package io.sluice.files;

import io.sluice.database.Migrations;
import io.sluice.files.quota.Quotas;
import io.sluice.files.quota.Tally;
import io.sluice.files.shares.Held;
import io.sluice.files.shares.Share;
import io.sluice.files.shares.Shares;
import io.sluice.identity.numbers.Numbers;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to files. What an engine runs for somebody runs as whoever owns that person's home. It waits for disks, so not on an event loop. */
public final class Files {
    public static final Migrations MIGRATIONS = new Migrations(
            "files", Files.class, List.of("001-shares", "002-usage", "003-links", "004-datasets", "005-gone-groups"));

    private final Homes homes;
    private final Outputs outputs;
    private final Inputs inputs;
    private final Path data;

    /** Null: only what there always is. */
    private final @Nullable Shares shares;

    /** Null: nobody counts. */
    private final @Nullable Quotas quotas;

    private Files(Path data, @Nullable Numbers numbers, @Nullable Shares shares, @Nullable Quotas quotas) {
        this.quotas = quotas;
        this.shares = shares;
        this.data = data.toAbsolutePath().normalize();
        this.homes = new Homes(this.data, numbers);
        this.outputs = new Outputs(this.data);
        this.inputs = new Inputs(this.data, this.outputs);
    }

    /** Each person's home belongs to a user id of their own where the gateway is root, who alone can give folders away. */
    public static Files open(Path data, Numbers numbers, Shares shares, Quotas quotas) {
        return new Files(data, Homes.mayGiveAway() ? numbers : null, shares, quotas);
    }

    /** All that people have belongs to the gateway's own user. */
    public static Files together(Path data) {
        return new Files(data, null, null, null);
    }

    /**
     * A person's own folder, which their tasks see as {@code /userhome}.
     *
     * @throws IllegalStateException when there is no user id left for a person
     */
    public Path home(long user, String name) throws IOException {
        return homes.of(user, name);
    }

    /** Of all people whom a home was made for. */
    public List<Path> homes() throws IOException {
        return homes.all();
    }

    /** What somebody may see of what is shared. */
    public Future<List<Held>> shares(long user) {
        return shares == null
                ? Future.succeededFuture(List.of(new Held(Share.COMMON, true), new Held(Share.DATASETS, false)))
                : shares.of(user);
    }

    /** Whoever they are for. */
    public Future<List<Share>> allShares() {
        return shares == null ? Future.succeededFuture(List.of(Share.COMMON, Share.DATASETS)) : shares.all();
    }

    /** What is asked and changed of shares and quotas. */
    public List<Route> routes() {
        return shares == null || quotas == null
                ? List.of()
                : Stream.concat(shares.routes().stream(), quotas.routes().stream())
                        .toList();
    }

    /** How much somebody has, and may have. */
    public Optional<Quotas> quotas() {
        return Optional.ofNullable(quotas);
    }

    /** Why somebody can submit no jobs: what they keep is more than they may. */
    public Future<Optional<Problem>> barred(long user) {
        return quotas == null ? Future.succeededFuture(Optional.empty()) : quotas.barred(user);
    }

    /** All that counts as somebody's. It takes as long as there are many. */
    public Tally tally(long user, String name) throws IOException {
        return Tally.of(data.resolve("homes").resolve(name))
                .plus(outputs.tally(user))
                .plus(inputs.tally(user));
    }

    /** Where a share lies; who reads it and who writes it is a matter of how it is mounted, and of whose the files are. */
    public Path share(Share share) throws IOException {
        Path folder = share.isBuiltIn()
                ? data.resolve(share.name())
                : Homes.closed(data.resolve("shares")).resolve(share.name());
        return share.writers().isEmpty() ? Homes.readable(folder) : Homes.writable(folder);
    }

    /** A folder of a job's own, which its tasks see as {@code /output}: the same for all of them and all attempts. */
    public Path output(long user, String name, String job) throws IOException {
        return outputs.of(home(user, name), user, job);
    }

    /** Those of a person's jobs, by the job's name. */
    public Path outputs(long user) throws IOException {
        return outputs.of(user);
    }

    /** Of a job that has ended: an output with nothing in it goes. */
    public void tidyOutput(long user, String job) throws IOException {
        outputs.tidy(user, job);
        if (quotas != null) {
            quotas.written(user).await();
        }
    }

    /** Of a job that has ended. The answer is whether it had one; the disk has its room back by and by. */
    public boolean removeOutput(long user, String job) throws IOException {
        return outputs.remove(user, job);
    }

    /** A folder of a job's own for what is fetched for it, which its tasks see as {@code /input}. */
    public Path input(long user, String name, long job) throws IOException {
        return inputs.of(home(user, name), user, job);
    }

    /** Of a job that has ended. The answer is whether it had one. */
    public boolean removeInput(long user, long job) throws IOException {
        boolean had = inputs.remove(user, job);
        if (had && quotas != null) {
            quotas.removed(user).await();
        }
        return had;
    }

    /** Whose jobs have something that was fetched for them: the jobs' numbers, and those of their users. */
    public Map<Long, Long> inputs() throws IOException {
        return inputs.all();
    }

    /** Where what is fetched for jobs lies: the same for gateways that have it in one folder, another for each that has its own. */
    public String place() throws IOException {
        return inputs.place();
    }

    /** How much more the disk takes that people's files lie on. */
    public long room() throws IOException {
        return java.nio.file.Files.getFileStore(data).getUsableSpace();
    }

    /** Where what was removed lies, until it is cleared. */
    public Path removedOutputs() throws IOException {
        return outputs.left();
    }
}
