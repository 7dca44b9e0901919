package io.sluice.files.quota;

import io.sluice.database.Database;
import io.sluice.identity.Identity;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The door to how much everybody has and may have: of a home and of what jobs have left. */
public final class Quotas {
    /** So often all is counted anew; after a job has written, and after much was removed, sooner. */
    private static final int EVERY_SECONDS = 3_600;

    private static final int AFTER_A_JOB_SECONDS = 300;
    private static final int SHOWN = 500;

    /**
     * @param bytes that each user may have; 0: no limit
     * @param files the same of files, folders and links
     * @param bars whether who has more can submit no jobs
     */
    public record Settings(long bytes, long files, boolean bars) {
        public static final Settings NONE = new Settings(0, 0, false);
    }

    /** Whose files are to be counted. */
    public record Due(long user, String name) {}

    /** Somebody's usage. */
    public record Person(String name, Usage usage) {}

    private final QuotaStore store;
    private final Settings settings;
    private volatile Runnable rung = () -> {};

    public Quotas(Database database, Settings settings) {
        this.store = new QuotaStore(database, settings);
        this.settings = settings;
    }

    public List<Route> routes() {
        return new QuotaRoutes(this).routes();
    }

    public Future<Usage> of(long user) {
        return store.of(user);
    }

    /** Those who have most. */
    Future<List<Person>> most() {
        return store.most(SHOWN);
    }

    /** Null: as for everybody; 0: no limit. */
    Future<Void> limit(Caller caller, String name, @Nullable Long bytes, @Nullable Long files) {
        return store.limit(name, bytes, files).map(known -> {
            if (!known) {
                throw Problem.of(Problem.Kind.NOT_FOUND, "NoUserError", "User " + name + " is not found.");
            }
            Identity.audit("quota-set", "user", name, "bytes", "" + bytes, "files", "" + files, "by", caller.name());
            return null;
        });
    }

    /** Fails where so much more does not fit. */
    public Future<Void> room(long user, long bytes, long files) {
        return store.of(user).map(usage -> {
            if (usage.isOver(bytes, files)) {
                throw Problem.of(
                        Problem.Kind.FULL,
                        said(usage) + " This would be " + amount(bytes) + " and " + files + " more.");
            }
            return null;
        });
    }

    private static String said(Usage usage) {
        return "Your quota is " + (usage.mostBytes() > 0 ? amount(usage.mostBytes()) : "any number of bytes") + " and "
                + (usage.mostFiles() > 0 ? usage.mostFiles() + " files" : "any number of files") + "; you have "
                + amount(usage.bytes()) + " in " + usage.files()
                + " files. Delete something, and empty the bin; or ask your administrator.";
    }

    /** As people read it, for messages of the API. */
    static String amount(long bytes) {
        double left = bytes;
        int power = 0;
        for (; left >= 1_000 && power < 5; left /= 1_000) {
            power++;
        }
        return String.format(
                Locale.ROOT,
                power == 0 ? "%.0f %s" : "%.1f %s",
                left,
                List.of("B", "kB", "MB", "GB", "TB", "PB").get(power));
    }

    /** What was changed, without counting anew. */
    public Future<Void> add(long user, long bytes, long files) {
        return store.add(user, bytes, files);
    }

    /** Much has gone, nobody knows how much: it is counted as soon as may be. */
    public Future<Void> removed(long user) {
        return store.doubt(user, 0).onSuccess(due -> rung.run());
    }

    /** @param rings when somebody is to be counted at once */
    public void listen(Runnable rings) {
        rung = rings;
    }

    /** A job may have written anything. */
    public Future<Void> written(long user) {
        return store.doubt(user, AFTER_A_JOB_SECONDS);
    }

    /** Who is to be counted next; nobody else counts them then. */
    public Future<Optional<Due>> next() {
        return store.next(EVERY_SECONDS);
    }

    public Future<Void> counted(long user, Tally tally) {
        return store.counted(user, tally);
    }

    /** Why somebody can submit no jobs, where the administrator wants it so. */
    public Future<Optional<Problem>> barred(long user) {
        return settings.bars()
                ? store.of(user)
                        .map(usage -> usage.isOver()
                                ? Optional.of(Problem.of(Problem.Kind.FORBIDDEN, "NoEnoughQuotaError", said(usage)))
                                : Optional.empty())
                : Future.succeededFuture(Optional.empty());
    }
}
