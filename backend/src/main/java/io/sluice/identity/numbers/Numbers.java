package io.sluice.identity.numbers;

import io.sluice.database.Database;
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The door to the user ids that people have on machines: each has one from the first time that it is asked for, for ever, and shares it with nobody. */
public final class Numbers {

    /** From the first to the last, both included. */
    public record Range(int first, int last) {
        private static final Pattern TEXT = Pattern.compile("(\\d{1,9})-(\\d{1,9})");
        /** What lies below is the system's, and people's who sign in to the machine itself. */
        private static final int LEAST = 1_000;

        /** @throws IllegalArgumentException with what to give instead */
        public static Range read(String text) {
            Matcher range = TEXT.matcher(text);
            if (!range.matches()
                    || Integer.parseInt(range.group(1)) < LEAST
                    || Integer.parseInt(range.group(1)) > Integer.parseInt(range.group(2))) {
                throw new IllegalArgumentException(text + " is no range of user ids. Give the first, from " + LEAST
                        + ", and the last, like 100000-165535.");
            }
            return new Range(Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)));
        }
    }

    private final NumberStore store;
    private final Range range;
    /** What is given never changes, and there are no more than the range has. */
    private final Map<Long, Integer> known = new ConcurrentHashMap<>();

    /** @param range of which new ones are given; who has one keeps it */
    public Numbers(Database database, Range range) {
        this.store = new NumberStore(database);
        this.range = range;
    }

    /** Fails with {@link IllegalStateException} when all are given away. */
    public Future<Integer> of(long user) {
        Integer number = known.get(user);
        if (number != null) {
            return Future.succeededFuture(number);
        }
        return store.find(user)
                .compose(found -> found.map(Future::succeededFuture).orElseGet(() -> give(user)))
                .onSuccess(found -> known.put(user, found));
    }

    private Future<Integer> give(long user) {
        return store.give(user, range)
                .map(given -> given.orElseThrow(
                        () -> new IllegalStateException("All user ids from " + range.first() + " to " + range.last()
                                + " are given away. Start the gateway with a larger range, as --user-ids says.")));
    }

    /** Whether it has been given to anybody. */
    public Future<Boolean> isGiven(int number) {
        return store.isGiven(number);
    }
}
