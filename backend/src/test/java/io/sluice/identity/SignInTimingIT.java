package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignInTimingIT {
    private static final int SERIES = 25;
    private static final int ROUNDS = 60;

    @Test
    void an_unknown_name_takes_as_long_as_a_known_one() {
        Vertx vertx = Vertx.vertx();
        try (var database = TestDatabase.fresh(vertx)) {
            database.database().migrate(List.of(Identity.MIGRATIONS)).await();
            var metrics = new Identity.Metrics(new CollectorRegistry());
            var passwords = new Passwords(vertx, Identity.Hashing.DEFAULT, metrics);
            var people = new PeopleStore(database.database());
            people.add("known", "", passwords.hash("right password").await(), false)
                    .await();
            var signIn = new SignIn(vertx, people, new SignInStore(database.database()), passwords, metrics);
            List<Double> ratios = new ArrayList<>();
            do { // a busy machine may disturb one series; a missing hash would show in every one
                ratios.add(unknownToKnown(signIn, database));
            } while (ratios.size() < SERIES && (ratios.getLast() < 0.95 || ratios.getLast() > 1.05));
            signIn.close();
            assertThat(ratios.getLast()).as("unknown to known: " + ratios).isBetween(0.95, 1.05);
        } finally {
            vertx.close().await();
        }
    }

    private static double unknownToKnown(SignIn signIn, TestDatabase database) {
        List<Long> known = new ArrayList<>();
        List<Long> unknown = new ArrayList<>();
        for (int i = -10; i < ROUNDS; i++) {
            database.database()
                    .pool()
                    .query("DELETE FROM sign_in_tries")
                    .execute()
                    .await();
            long one = nanos(signIn, i % 2 == 0 ? "known" : "strange");
            long other = nanos(signIn, i % 2 == 0 ? "strange" : "known");
            if (i >= 0) { // the first ones only warm up
                known.add(i % 2 == 0 ? one : other);
                unknown.add(i % 2 == 0 ? other : one);
            }
        }
        return undisturbed(unknown) / undisturbed(known);
    }

    private static long nanos(SignIn signIn, String name) {
        long start = System.nanoTime();
        assertThat(signIn.check(name, "wrong password", "127.0.0.1").await()).isInstanceOf(SignIn.Result.Refused.class);
        return System.nanoTime() - start;
    }

    /** Whatever else runs on the machine only ever adds time, so the quick tenth is what the work itself takes. */
    private static double undisturbed(List<Long> times) {
        Collections.sort(times);
        return times.get(times.size() / 10);
    }
}
