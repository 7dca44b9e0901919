package io.sluice.endpoints.road.passes;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.TestDatabase;
import io.sluice.endpoints.Endpoints;
import io.sluice.identity.Identity;
import io.sluice.jobs.Jobs;
import io.sluice.web.Authenticator;
import io.sluice.web.Caller;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PassesTest {
    private static final Caller BOB = new Caller(7, "bob", false, Caller.Kind.SESSION, "s7", Set.of());

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase database =
            TestDatabase.with(vertx, List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Endpoints.MIGRATIONS));
    private final AtomicLong now = new AtomicLong(System.nanoTime());
    /** Whether whoever is asked about is still signed in. */
    private Supplier<Future<Boolean>> valid = () -> Future.succeededFuture(true);

    /** What happens in the moment before a pass is kept, and in the one after. */
    private Runnable before = () -> {};

    private Runnable after = () -> {};

    private Passes passes;
    private String token;

    private final class Kept extends ConcurrentHashMap<String, Pass> {
        @Override
        public @Nullable Pass putIfAbsent(String token, Pass pass) {
            before.run();
            Pass there = super.putIfAbsent(token, pass);
            after.run();
            return there;
        }
    }

    private final class Asked implements Authenticator {
        @Override
        public Future<Verdict> authenticate(Credentials shown) {
            return Future.succeededFuture(Verdict.NOBODY);
        }

        @Override
        public Future<Boolean> stillValid(Caller caller) {
            return valid.get();
        }
    }

    @BeforeEach
    void enter() {
        database.database().pool().query("""
                        INSERT INTO endpoints (id, job_id, user_name, job_name, name, recipe, role, task_index, options, wanted, state)
                        VALUES ('web', 1, 'ann', 'train', 'web', 'port', 'main', 0, '{}', true, 'ready')
                        """).execute().await();
        passes = new Passes(vertx, database.database(), new Asked(), new CollectorRegistry(), now::get, new Kept());
        String ticket = passes.ticket("web", BOB, "http://portal.example").await();
        token = passes.enter("web", ticket).await().orElseThrow().token();
    }

    @AfterEach
    void close() {
        passes.close();
        database.close();
        vertx.close().await();
    }

    @Test
    void a_pass_of_somebody_who_may_not_come_in_is_not_kept() {
        for (int i = 0; i < 3; i++) {
            assertThat(passes.find("web", token, caller -> false).await()).isEmpty();
            assertThat(passes.known("web", token)).isNull();
        }
        // it is asked about again, and may be another answer by now
        Pass pass = passes.find("web", token, BOB::equals).await().orElseThrow();
        assertThat(passes.known("web", token)).isSameAs(pass);
        assertThat(pass.kept).isTrue();
        assertThat(passes.known("other", token)).isNull();
    }

    @Test
    void a_pass_that_is_given_back_or_taken_cuts_what_goes_on_and_opens_nothing_more() {
        for (boolean given : List.of(true, false)) {
            Pass pass = passes.find("web", token, caller -> true).await().orElseThrow();
            var cut = new AtomicInteger();
            pass.open.add(cut::incrementAndGet);
            if (given) {
                passes.leave("web", token);
            } else {
                passes.revoke(one -> one.caller.name().equals("bob"));
            }
            assertThat(cut).hasValue(1);
            assertThat(pass.valid).isFalse();
            assertThat(passes.known("web", token)).isNull();
            String ticket = passes.ticket("web", BOB, "http://portal.example").await();
            token = passes.enter("web", ticket).await().orElseThrow().token();
        }
    }

    @Test
    void a_pass_in_use_ends_seven_days_after_it_was_given_and_cuts_what_goes_on() {
        database.database()
                .pool()
                .query("UPDATE endpoint_passes SET expires = expires - interval '3 days'")
                .execute()
                .await();
        Pass pass = passes.find("web", token, caller -> true).await().orElseThrow();
        var cut = new AtomicInteger();
        pass.open.add(cut::incrementAndGet);
        // who kept it only since now goes by when it was given
        now.addAndGet(Duration.ofDays(4).minusMinutes(1).toNanos());
        passes.look();
        assertThat(passes.known("web", token)).isSameAs(pass);
        assertThat(cut).hasValue(0);
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        passes.look();
        assertThat(passes.known("web", token)).isNull();
        assertThat(pass.valid).isFalse();
        assertThat(cut).hasValue(1);
    }

    @Test
    void a_pass_older_than_seven_days_is_not_found() {
        database.database()
                .pool()
                .query("UPDATE endpoint_passes SET expires = expires - interval '7 days'")
                .execute()
                .await();
        assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
    }

    /** Whoever asked before is answered after. */
    @Test
    void a_pass_that_is_given_back_while_it_is_looked_up_opens_nothing() {
        valid = () -> {
            passes.leave("web", token);
            return Future.succeededFuture(true);
        };
        assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
        assertThat(passes.known("web", token)).isNull();
        valid = () -> Future.succeededFuture(true);
        assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
    }

    /** Whoever gives it back finds it there, or is found by who keeps it: whichever of the two comes first. */
    @Test
    void a_pass_that_is_given_back_in_the_moment_in_which_it_is_kept_opens_nothing() {
        Runnable nothing = before;
        Runnable leaves = () -> passes.leave("web", token);
        for (boolean first : List.of(true, false)) {
            before = first ? leaves : nothing;
            after = first ? nothing : leaves;
            assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
            assertThat(passes.known("web", token)).isNull();
            String ticket = passes.ticket("web", BOB, "http://portal.example").await();
            token = passes.enter("web", ticket).await().orElseThrow().token();
        }
    }

    @Test
    void whoever_is_not_signed_in_any_more_has_no_pass_and_gets_none_back() {
        valid = () -> Future.succeededFuture(false);
        assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
        valid = () -> Future.succeededFuture(true);
        assertThat(passes.find("web", token, caller -> true).await()).isEmpty();
    }

    @Test
    void a_ticket_lets_in_once_and_to_its_endpoint_and_is_no_pass() {
        String ticket = passes.ticket("web", BOB, "http://portal.example").await();
        assertThat(passes.find("web", ticket, caller -> true).await()).isEmpty();
        assertThat(passes.enter("other", ticket).await()).isEmpty();
        assertThat(passes.enter("web", ticket).await()).isPresent();
        assertThat(passes.enter("web", ticket).await()).isEmpty();
        assertThat(passes.enter("web", token).await()).as("a pass is no ticket").isEmpty();
        assertThat(passes.find("other", token, caller -> true).await()).isEmpty();
    }

    @Test
    void a_ticket_is_good_for_a_minute() {
        String ticket = passes.ticket("web", BOB, "http://portal.example").await();
        database.database()
                .pool()
                .query("UPDATE endpoint_passes SET expires = expires - interval '60 seconds' WHERE ticket")
                .execute()
                .await();
        assertThat(passes.enter("web", ticket).await()).isEmpty();
    }
}
