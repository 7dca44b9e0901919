package io.sluice.jobs.lists;

import io.sluice.database.Database;
import io.sluice.jobs.Job;
import io.sluice.jobs.JobFilter;
import io.sluice.jobs.life.Exit;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The door to lists for people. What a caller may not see is in none of them. */
public final class Lists {
    /** In which order. Each has a key of its own, so that every page of a list is found at once. */
    public enum Sort {
        NEWEST,
        OLDEST,
        NAME,
        NAME_BACK,
        /** Those that are not over first. */
        STATE,
        USER,
        /** The most devices first; only of jobs that are not over, which are not many. */
        DEVICES,
        /** The same of tasks. */
        TASKS,
        /** The most urgent first; only of jobs that are not over. */
        PRIORITY,
        /** Those that have run the longest first; only of jobs that run. */
        LONGEST,
        SHORTEST,
        /** Those that ran the longest; only of jobs that are over. */
        TOOK_LONGEST,
        TOOK_SHORTEST;

        /** Whether the largest comes first. */
        public boolean falls() {
            return switch (this) {
                case NEWEST, NAME_BACK, DEVICES, TASKS, PRIORITY, LONGEST, TOOK_LONGEST -> true;
                case OLDEST, NAME, STATE, USER, SHORTEST, TOOK_SHORTEST -> false;
            };
        }

        boolean isOfLength() {
            return this == TOOK_LONGEST || this == TOOK_SHORTEST;
        }
    }

    /** @param key of the job that the page follows, or with {@code before} comes before; null: it is the first */
    public record Place(Sort sort, boolean before, @Nullable String key) {}

    /**
     * @param deviceType that it asked for, null: any
     * @param exit how a job that failed ended, null: it did not fail, or nothing is known
     */
    public record Entry(
            Job job, @Nullable String deviceType, @Nullable Exit exit) {}

    /**
     * @param before key for the page before this one, null: this is the first
     * @param after key for the page after this one, null: this is the last
     * @param cut so many jobs were looked at without finding enough that there is an end to it; {@code after} goes on
     */
    public record Leaf(
            List<Entry> entries,
            @Nullable String before,
            @Nullable String after,
            boolean cut) {
        public Leaf {
            entries = List.copyOf(entries);
        }
    }

    /** Between numbers of as many digits, which therefore sort as texts do. */
    private static final long MIDDLE = 5_000_000_000_000_000_000L;

    private final BrowseStore store;
    private final HolderStore holders;
    private final Function<List<Long>, Future<List<Job>>> numbered;

    /** @param numbered the jobs of these numbers, in any order */
    public Lists(Database database, Function<List<Long>, Future<List<Job>>> numbered) {
        this.store = new BrowseStore(database);
        this.holders = new HolderStore(database);
        this.numbered = numbered;
    }

    /** Who has a place on a machine at the moment, of all users: for whoever tells each caller no more than is theirs. */
    public Future<List<Holder>> holders() {
        return holders.holders();
    }

    /** One page. A key that is none of this order's is refused. */
    public Future<Leaf> leaf(Caller caller, JobFilter filter, Place place, int size) {
        var seen = filter.seenBy(caller);
        return store.ids(seen, place, key(place, seen.users().size() == 1), size + 1)
                .compose(found -> {
                    boolean more = found.ids().size() > size;
                    List<Long> ids = more ? found.ids().subList(0, size) : found.ids();
                    Long last = found.last();
                    boolean cut = !more && last != null;
                    List<Long> wanted = cut
                            ? Stream.concat(ids.stream(), Stream.of(last))
                                    .distinct()
                                    .toList()
                            : ids;
                    return entries(wanted).map(entries -> leaf(place, ids, entries, more, cut ? last : null));
                });
    }

    private static Leaf leaf(
            Place place, List<Long> ids, Map<Long, Entry> entries, boolean more, @Nullable Long cutAt) {
        List<Entry> shown =
                ids.stream().filter(entries::containsKey).map(entries::get).collect(Collectors.toList());
        if (place.before()) {
            shown = shown.reversed();
        }
        Entry edge = cutAt == null ? null : entries.get(cutAt);
        String first = shown.isEmpty()
                ? place.key()
                : key(place.sort(), shown.getFirst().job());
        String last = shown.isEmpty()
                ? place.key()
                : key(place.sort(), shown.getLast().job());
        String farther = edge == null ? null : key(place.sort(), edge.job());
        boolean cut = farther != null;
        return place.before()
                ? new Leaf(shown, cut ? farther : more ? first : null, last, cut)
                : new Leaf(shown, place.key() == null ? null : first, cut ? farther : more ? last : null, cut);
    }

    /** Whether a search for a word finds the job: as {@link JobFilter#keyword} does in {@link #leaf}. */
    public static boolean finds(String word, Job job) {
        String lower = word.toLowerCase(Locale.ROOT);
        return word.isEmpty()
                || job.user().toLowerCase(Locale.ROOT).contains(lower)
                || job.name().toLowerCase(Locale.ROOT).contains(lower)
                || job.tags().contains(word);
    }

    /** What lists show of jobs beside themselves. */
    public Future<List<Entry>> entries(Stream<Job> jobs) {
        List<Job> all = jobs.toList();
        if (all.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        return store.extras(all.stream().map(Job::id).toList())
                .map(extras -> all.stream().map(job -> entry(job, extras)).toList());
    }

    /** Those of these numbers that the caller may see, in this order. */
    public Future<List<Entry>> numbered(Caller caller, List<Long> ids) {
        return entries(ids)
                .map(found -> ids.stream()
                        .filter(found::containsKey)
                        .map(found::get)
                        .filter(entry -> caller.admin() || entry.job().user().equals(caller.name()))
                        .toList());
    }

    private Future<Map<Long, Entry>> entries(List<Long> ids) {
        if (ids.isEmpty()) {
            return Future.succeededFuture(Map.of());
        }
        var jobs = numbered.apply(ids);
        var extras = store.extras(ids);
        return Future.all(jobs, extras)
                .map(both ->
                        jobs.result().stream().collect(Collectors.toMap(Job::id, job -> entry(job, extras.result()))));
    }

    private static Entry entry(Job job, Map<Long, BrowseStore.Extra> extras) {
        var extra = extras.get(job.id());
        return extra == null
                ? new Entry(job, null, null)
                : new Entry(job, extra.deviceType(), job.state() == Job.State.FAILED ? extra.exit() : null);
    }

    /** How many the list has, of {@code most} at most; empty where only looking at each of them would tell. */
    public Future<Optional<Long>> total(Caller caller, JobFilter filter, int most) {
        return store.total(filter.seenBy(caller), most);
    }

    /** How many there are in a state; no more than {@code most} are counted. */
    public Future<Long> count(Caller caller, JobFilter filter, Job.State state, int most) {
        return store.count(filter.seenBy(caller), state, most);
    }

    /** The names of all virtual clusters. */
    public Future<List<String>> clusters() {
        return store.clusters();
    }

    /** What a list is ordered by, of one job. */
    public static String key(Sort sort, Job job) {
        String newest = micros(job.submitted()) + "." + job.id();
        return switch (sort) {
            case NEWEST, OLDEST -> newest;
            case NAME, NAME_BACK -> job.key();
            case USER -> job.user() + "~" + newest;
            case STATE -> 1 + Order.STATES.indexOf(job.state().name()) + "~" + newest;
            case DEVICES -> job.devices() + "." + job.id();
            case TASKS -> job.tasks() + "." + job.id();
            case PRIORITY -> job.priority() + "." + job.id();
            case LONGEST, SHORTEST -> micros(since(job)) + "." + job.id();
            case TOOK_LONGEST, TOOK_SHORTEST -> length(job) + "." + job.id();
        };
    }

    /** The place of a job in a list, as text that sorts as the list does; where names fall, backwards. */
    public static String place(Sort sort, Job job) {
        String newest = falling(micros(job.submitted())) + falling(job.id());
        // a blank comes before all that names are made of: of two the shorter is the first
        return switch (sort) {
            case NEWEST -> newest;
            case OLDEST -> rising(micros(job.submitted())) + rising(job.id());
            case NAME, NAME_BACK -> job.name() + " " + job.user();
            case USER -> job.user() + " " + newest;
            case STATE -> Order.STATES.indexOf(job.state().name()) + " " + newest;
            case DEVICES -> falling(job.devices()) + falling(job.id());
            case TASKS -> falling(job.tasks()) + falling(job.id());
            case PRIORITY -> falling(job.priority()) + falling(job.id());
            case LONGEST -> rising(micros(since(job))) + rising(job.id());
            case SHORTEST -> falling(micros(since(job))) + falling(job.id());
            case TOOK_LONGEST -> falling(length(job)) + falling(job.id());
            case TOOK_SHORTEST -> rising(length(job)) + rising(job.id());
        };
    }

    private static String rising(long number) {
        return Long.toString(MIDDLE + number);
    }

    private static String falling(long number) {
        return Long.toString(MIDDLE - number);
    }

    private static long length(Job job) {
        Instant from = job.launched() != null ? job.launched() : job.created();
        Instant end = job.completed();
        return from == null || end == null ? 0 : micros(end) - micros(from);
    }

    private static Instant since(Job job) {
        Instant launched = job.launched();
        Instant created = job.created();
        return launched != null ? launched : created != null ? created : job.submitted();
    }

    private static long micros(Instant at) {
        return at.getEpochSecond() * 1_000_000 + at.getNano() / 1000;
    }

    private static List<Object> key(Place place, boolean ofOne) {
        String key = place.key();
        if (key == null) {
            return List.of();
        }
        return switch (place.sort()) {
            case NEWEST, OLDEST, DEVICES, TASKS, LONGEST, SHORTEST -> {
                long[] numbers = numbers(key);
                yield List.of(numbers[0], numbers[1]);
            }
            // below zero: a priority, and what began before a clock was set back
            case PRIORITY, TOOK_LONGEST, TOOK_SHORTEST -> {
                boolean below = key.startsWith("-");
                long[] numbers = numbers(below ? key.substring(1) : key);
                yield List.of(below ? -numbers[0] : numbers[0], numbers[1]);
            }
            case NAME, NAME_BACK -> {
                String[] names = parts(key);
                yield ofOne ? List.of(names[0], names[1]) : List.of(names[1], names[0]);
            }
            case USER -> {
                String[] parts = parts(key);
                long[] numbers = numbers(parts[1]);
                yield List.of(parts[0], numbers[0], numbers[1]);
            }
            case STATE -> {
                String[] parts = parts(key);
                long[] numbers = numbers(parts[1]);
                if (!parts[0].matches("[1-" + Order.STATES.size() + "]")) {
                    throw noKey();
                }
                yield List.of(Long.parseLong(parts[0]), numbers[0], numbers[1]);
            }
        };
    }

    private static String[] parts(String key) {
        int tilde = key.indexOf('~');
        if (tilde < 1) {
            throw noKey();
        }
        return new String[] {key.substring(0, tilde), key.substring(tilde + 1)};
    }

    private static long[] numbers(String key) {
        if (!key.matches("\\d{1,17}\\.\\d{1,18}")) {
            throw noKey();
        }
        int dot = key.indexOf('.');
        return new long[] {Long.parseLong(key.substring(0, dot)), Long.parseLong(key.substring(dot + 1))};
    }

    private static Problem noKey() {
        return Problem.invalid("This is no place in this list. Open /jobs to begin at its start.");
    }
}
