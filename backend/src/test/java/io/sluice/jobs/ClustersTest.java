package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.identity.grants.Grants.Holders;
import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.drafts.Draft;
import io.sluice.jobs.placement.Waiting;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Virtual clusters: what they allow, and whom. */
class ClustersTest {
    private static final Caller ROOT = Desk.caller("root");

    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 2);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private Caller person(String name) {
        long id = desk.query("INSERT INTO users (name, password) VALUES ('" + name + "', '') RETURNING id");
        return new Caller(id, name, false, Caller.Kind.SESSION, name, Caller.EVERYTHING);
    }

    private void lab(@Nullable Integer cpus, Holders holders) {
        desk.jobs()
                .clusters()
                .put(ROOT, new Cluster("lab", "The lab's", cpus, null, Map.of(), false), holders)
                .await();
    }

    private Submitted submit(Caller caller, String name, String cluster) {
        return desk.jobs().submit(caller, in(cluster, name, 1), null).await();
    }

    private static String in(String cluster, String name, int cpus) {
        return JobsTest.job(name, "\"virtualCluster\": \"" + cluster + "\",", """
                {"name": "main", "cpuNumber": %d, "memoryMB": 100, "command": "true"}
                """.formatted(cpus));
    }

    @Test
    void without_a_grant_a_virtual_cluster_is_closed_and_says_what_is_open() {
        lab(null, Holders.NOBODY);
        Caller ada = person("ada");
        var barred = (Submitted.Barred) submit(ada, "one", "lab");
        assertThat(barred.why().problem(ada).status()).isEqualTo(403);
        assertThat(barred.why().problem(ada).message())
                .isEqualTo("User ada is not allowed to submit to virtual cluster lab. Open to ada: default."
                        + " An administrator grants others.");
        assertThat(submit(ada, "one", "default")).isInstanceOf(Submitted.Stored.class);
        assertThat(submit(ROOT, "one", "lab")).isInstanceOf(Submitted.Stored.class);
        var draft =
                (Draft.Sound) Draft.of(desk.jobs(), ada, in("lab", "two", 1)).await();
        assertThat(draft.never()).isTrue();
        assertThat(Objects.requireNonNull(draft.barred()).open()).containsExactly("default");
    }

    @Test
    void one_that_does_not_exist_looks_like_one_that_is_closed() {
        lab(null, Holders.NOBODY);
        Caller ada = person("ada");
        var closed = ((Submitted.Barred) submit(ada, "one", "lab")).why().problem(ada);
        var missing = ((Submitted.Barred) submit(ada, "one", "nowhere")).why().problem(ada);
        assertThat(missing.code()).isEqualTo(closed.code());
        assertThat(missing.message()).isEqualTo(closed.message().replace("lab", "nowhere"));
        var told = ((Submitted.Barred) submit(ROOT, "one", "nowhere")).why().problem(ROOT);
        assertThat(told.code()).isEqualTo("NoVirtualClusterError");
        assertThat(told.message()).contains("default, lab");
    }

    @Test
    void a_grant_is_of_a_person_a_group_or_everybody_and_can_be_taken_back() {
        Caller ada = person("Ada");
        Caller bob = person("bob");
        Caller eve = person("eve");
        desk.query(
                "INSERT INTO user_groups (name, extension) VALUES ('vision', '{\"acls\": {\"admin\": false}}') RETURNING 1");
        desk.query("INSERT INTO memberships VALUES (" + bob.id() + ", 'vision') RETURNING user_id");
        lab(null, new Holders(List.of("ada"), List.of("vision")));
        assertThat(open(ada)).containsExactly("default", "lab");
        assertThat(open(bob)).containsExactly("default", "lab");
        assertThat(open(eve)).containsExactly("default");
        assertThat(desk.jobs().clusters().holders().await())
                .containsExactly(Map.entry("lab", new Holders(List.of("Ada"), List.of("vision"))));
        assertThat(desk.query("SELECT count(*) FROM user_groups WHERE extension -> 'acls' -> 'admin' = 'false'"))
                .as("what else the extension holds stays")
                .isEqualTo(1);
        lab(null, new Holders(List.of(), List.of("default")));
        assertThat(open(eve)).containsExactly("default", "lab");
        lab(null, Holders.NOBODY);
        assertThat(open(ada)).containsExactly("default");
        assertThat(desk.jobs().clusters().holders().await()).isEmpty();
    }

    private List<String> open(Caller caller) {
        return desk.jobs().clusters().openTo(caller).await();
    }

    @Test
    void a_grant_to_nobody_known_is_refused_and_changes_nothing() {
        assertThatThrownBy(() -> lab(4, new Holders(List.of("nobody"), List.of())))
                .isInstanceOfSatisfying(Problem.class, p -> assertThat(p.code()).isEqualTo("NoUserError"));
        assertThatThrownBy(() -> lab(4, new Holders(List.of(), List.of("none"))))
                .isInstanceOfSatisfying(Problem.class, p -> assertThat(p.code()).isEqualTo("NoGroupError"));
        assertThat(desk.jobs().clusters().all().await()).hasSize(1);
    }

    @Test
    void a_quota_counts_at_once_and_after_a_restart() {
        lab(2, Holders.NOBODY);
        desk.jobs().submit(ROOT, in("lab", "first", 2), null).await();
        desk.running(1);
        desk.jobs().submit(ROOT, in("lab", "second", 2), null).await();
        desk.eventually(() -> why("second") == Waiting.Why.QUOTA);
        desk.leave();
        desk.open(desk.data());
        desk.eventually(() -> why("second") == Waiting.Why.QUOTA);
        lab(4, Holders.NOBODY);
        desk.running(2);
    }

    private Waiting.@Nullable Why why(String name) {
        Waiting waiting = desk.job("root", name).waiting();
        return waiting == null ? null : waiting.why();
    }

    @Test
    void a_stopped_one_starts_nothing_until_it_may_again() {
        lab(null, Holders.NOBODY);
        desk.jobs().clusters().stop(ROOT, "lab", true).await();
        desk.jobs().submit(ROOT, in("lab", "patient", 1), null).await();
        desk.eventually(() -> why("patient") == Waiting.Why.CLUSTER_STOPPED);
        lab(6, Holders.NOBODY);
        assertThat(desk.jobs().clusters().all().await().getLast().stopped())
                .as("a new quota starts nothing")
                .isTrue();
        desk.jobs().clusters().stop(ROOT, "lab", false).await();
        desk.running(1);
    }

    @Test
    void only_an_idle_one_is_removed_and_never_the_default() {
        lab(null, new Holders(List.of(), List.of("default")));
        desk.jobs().submit(ROOT, in("lab", "busy", 1), null).await();
        var clusters = desk.jobs().clusters();
        assertThatThrownBy(() -> clusters.remove(ROOT, "lab").await())
                .isInstanceOfSatisfying(Problem.class, p -> assertThat(p.code()).isEqualTo("RemoveRunningVcError"));
        engine.end(desk.running(1).getFirst(), 0);
        desk.finished("root", "busy");
        clusters.remove(ROOT, "lab").await();
        assertThat(clusters.all().await()).extracting(Cluster::name).containsExactly("default");
        assertThat(clusters.holders().await()).isEmpty();
        assertThatThrownBy(() -> clusters.remove(ROOT, "default").await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(403));
        assertThatThrownBy(() -> clusters.remove(ROOT, "lab").await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(404));
    }
}
