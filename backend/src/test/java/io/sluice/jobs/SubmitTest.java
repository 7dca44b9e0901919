package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.jobs.clusters.Cluster;
import io.sluice.jobs.drafts.Templates;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SubmitTest {
    private final ScriptedEngine engine = new ScriptedEngine(1, 1, 0);

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    @Test
    void every_fault_is_told_and_nothing_is_stored() {
        var refused = (Submitted.Refused) desk.submit("ada", "{\"jobName\": \"a b\", \"taskRoles\": []}", null);
        assertThat(refused.faults()).hasSizeGreaterThan(2);
        assertThat(desk.jobs().count(Desk.caller("root"), JobFilter.ALL).await())
                .isZero();
    }

    @Test
    void a_name_is_taken_once_per_user() {
        desk.submit("ada", JobsTest.one("same", 1, 0));
        assertThat(desk.submit("ada", JobsTest.one("same", 1, 0), null))
                .isEqualTo(new Submitted.NameTaken("ada", "same"));
        desk.submit("bob", JobsTest.one("same", 1, 0));
    }

    @Test
    void a_repeat_with_the_same_key_is_the_same_job() {
        var first = (Submitted.Stored) desk.submit("ada", JobsTest.one("once", 1, 0), "key");
        var second = (Submitted.Stored) desk.submit("ada", JobsTest.one("once", 1, 0), "key");
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.again()).isTrue();
        assertThat(desk.submit("ada", JobsTest.one("other", 1, 0), "key"))
                .isEqualTo(new Submitted.KeyReused("key", "once"));
        assertThat(desk.submit("bob", JobsTest.one("once", 1, 0), "key")).isInstanceOf(Submitted.Stored.class);
    }

    @Test
    void a_storage_that_there_is_not_is_refused_and_what_is_not_used_is_told() {
        String job = SECRET.replace("secrets: {word: hunter2}\n", "").replace("echo <% $secrets.word %>", "true");
        assertThat(desk.submit("ada", job + "extras: {storages: [{name: nfs}]}\n", null))
                .isEqualTo(new Submitted.NoStorage("nfs"));
        var stored = desk.submit("ada", job + """
                extras:
                  storages: []
                  jobStatusChangeNotification: {failed: true}
                  com.microsoft.pai.runtimeplugin:
                    - {plugin: tensorboard, parameters: {port: 10000, logdir: {path: /mnt}}}
                    - {plugin: teamwise_storage, parameters: {storageConfigNames: [team]}}
                """);
        assertThat(stored.warnings())
                .anySatisfy(said -> assertThat(said).contains("port of the plugin tensorboard"))
                .anySatisfy(said -> assertThat(said).contains("teamwise_storage"))
                .anySatisfy(said -> assertThat(said).contains("jobStatusChangeNotification"));
    }

    @Test
    void to_start_again_counts_as_a_submission_and_needs_the_same_right() {
        Caller ada = Desk.caller("ada");
        desk.jobs()
                .clusters()
                .put(Desk.caller("root"), new Cluster("lab", "", null, null, Map.of(), false), null)
                .await();
        desk.submit(
                "root",
                JobsTest.job("mine", "\"virtualCluster\": \"lab\",", "{\"name\": \"m\", \"command\": \"true\"}"));
        desk.stop("root", "mine");
        desk.finished("root", "mine");
        Job job = desk.job("root", "mine");
        assertThatThrownBy(() -> desk.jobs().start(ada, job).await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(403));
        assertThat(desk.jobs().start(Desk.caller("root"), job).await()).isTrue();
    }

    @Test
    void a_secret_reaches_its_task_and_no_table() {
        desk.submit("ada", SECRET);
        var run = desk.running(1).getFirst();
        assertThat(engine.task(run).script()).contains("echo hunter2");
        var tables = desk.database
                .database()
                .pool()
                .query("SELECT s::text || j::text FROM job_specs s JOIN jobs j ON j.id = s.job_id")
                .execute()
                .await();
        tables.forEach(row -> assertThat(row.getString(0)).doesNotContain("hunter2"));
        assertThat(desk.jobs().config(desk.job("ada", "quiet")).await()).contains("******");
    }

    @Test
    void another_users_job_does_not_exist() {
        desk.submit("ada", JobsTest.one("mine", 1, 0));
        assertThatThrownBy(
                        () -> desk.jobs().job(Desk.caller("bob"), "ada", "mine").await())
                .isInstanceOfSatisfying(
                        Problem.class, problem -> assertThat(problem.code()).isEqualTo("NoJobError"));
        assertThat(desk.jobs().job(Desk.caller("root"), "ada", "mine").await().name())
                .isEqualTo("mine");
        assertThat(desk.jobs()
                        .page(Desk.caller("bob"), JobFilter.ALL.of("ada"), null, 10)
                        .await()
                        .jobs())
                .isEmpty();
    }

    @Test
    void a_list_is_read_on_from_where_a_page_ended() {
        for (int i = 0; i < 5; i++) {
            desk.submit("ada", JobsTest.one("job" + i, 1, 0));
        }
        var caller = Desk.caller("ada");
        for (var filter : new JobFilter[] {
            JobFilter.ALL, JobFilter.ALL.in(Set.of(Job.State.WAITING, Job.State.RUNNING)), JobFilter.ALL.naming("job")
        }) {
            var first = desk.jobs().page(caller, filter, null, 3).await();
            var second = desk.jobs().page(caller, filter, first.next(), 3).await();
            assertThat(first.jobs()).extracting(Job.Summary::name).containsExactly("job4", "job3", "job2");
            assertThat(second.jobs()).extracting(Job.Summary::name).containsExactly("job1", "job0");
            assertThat(second.next()).isNull();
        }
    }

    @Test
    void what_changed_since_a_cursor_is_told_and_nothing_missed() {
        var caller = Desk.caller("ada");
        String cursor = desk.jobs().changes(caller, JobFilter.ALL, null).await().cursor();
        desk.submit("ada", JobsTest.one("news", 1, 0));
        desk.submit("bob", JobsTest.one("secret", 1, 0));
        var changes = desk.jobs().changes(caller, JobFilter.ALL, cursor).await();
        assertThat(changes.jobs()).extracting(Job::name).containsExactly("news");
    }

    @Test
    void tags_are_added_found_and_taken_away() {
        desk.submit("ada", JobsTest.one("tagged", 1, 0));
        Job job = desk.job("ada", "tagged");
        assertThat(desk.jobs().tag(job, "x").await()).isTrue();
        assertThat(desk.jobs().tag(job, "x").await()).isFalse();
        assertThat(desk.job("ada", "tagged").tags()).containsExactly("x");
        assertThat(desk.jobs().untag(job, "x").await()).isTrue();
        assertThat(desk.jobs().untag(job, "x").await()).isFalse();
    }

    @Test
    void a_job_is_filed_under_the_tags_of_its_text() {
        String tags = "\"extras\": {\"sluice\": {\"tags\": [\"a\", \"b c\"]}},";
        desk.submit("ada", JobsTest.job("filed", tags, "{\"name\": \"main\", \"command\": \"true\"}"));
        assertThat(desk.job("ada", "filed").tags()).containsExactly("a", "b c");
    }

    @Test
    void a_template_keeps_no_secret_and_is_seen_by_whom_it_is_shared_with() {
        var templates = desk.jobs().templates();
        templates
                .add(Desk.caller("ada"), new Templates.Content("mine", "", false, SECRET))
                .await();
        var ours = templates
                .add(Desk.caller("ada"), new Templates.Content("ours", "for all", true, SECRET))
                .await();
        assertThat(templates.seenBy(Desk.caller("ada")).await())
                .extracting(Templates.Template::name)
                .containsExactly("mine", "ours");
        var seen = templates.seenBy(Desk.caller("bob")).await();
        assertThat(seen).extracting(Templates.Template::id).containsExactly(ours.id());
        assertThat(seen.getFirst().config()).as("a list has no texts").isEmpty();
        assertThat(ours.config()).doesNotContain("hunter2").contains("******");
    }

    @Test
    void a_template_is_no_place_for_much_text() {
        var tooLong = "#" + " ".repeat(Templates.LONGEST_TEXT) + "\n" + SECRET;
        assertThatThrownBy(() -> desk.jobs()
                        .templates()
                        .add(Desk.caller("ada"), new Templates.Content("long", "", true, tooLong))
                        .await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(413));
    }

    @Test
    void only_its_author_and_administrators_change_a_template() {
        var templates = desk.jobs().templates();
        var ada = Desk.caller("ada");
        var ours = templates
                .add(ada, new Templates.Content("ours", "", true, SECRET))
                .await();
        var mine = templates
                .add(ada, new Templates.Content("mine", "", false, SECRET))
                .await();
        var renamed = new Templates.Content("renamed", "by bob", true, ours.config());
        assertThatThrownBy(() ->
                        templates.change(Desk.caller("bob"), ours.id(), renamed).await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(403));
        assertThatThrownBy(() -> templates.remove(Desk.caller("bob"), ours.id()).await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(403));
        assertThatThrownBy(() -> templates.find(Desk.caller("bob"), mine.id()).await())
                .isInstanceOfSatisfying(
                        Problem.class, p -> assertThat(p.status()).isEqualTo(404));
        assertThat(templates.change(Desk.caller("root"), ours.id(), renamed).await())
                .isEqualTo(new Templates.Template(
                        ours.id(), ours.userId(), "ada", "renamed", "by bob", true, ours.config()));
        assertThatThrownBy(() -> templates.change(ada, mine.id(), renamed).await())
                .isInstanceOfSatisfying(Problem.class, p -> assertThat(p.code()).isEqualTo("ConflictTemplateError"));
        templates.remove(Desk.caller("root"), ours.id()).await();
        templates.remove(ada, mine.id()).await();
        assertThat(templates.seenBy(ada).await()).isEmpty();
    }

    @Test
    void a_job_that_runs_too_long_is_ended() {
        desk.submit("ada", """
                protocolVersion: 2
                name: long
                type: job
                prerequisites: [{name: image, type: dockerimage, uri: none}]
                taskRoles:
                  main:
                    dockerImage: image
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: [sleep 100]
                extras: {sluice: {maxRunSeconds: 1}}
                """);
        Job done = desk.finished("ada", "long");
        assertThat(done.exitCode()).isEqualTo(io.sluice.jobs.life.Exit.OUT_OF_TIME);
        assertThat(done.state()).isEqualTo(Job.State.FAILED);
    }

    private static final String SECRET = """
            protocolVersion: 2
            name: quiet
            type: job
            secrets: {word: hunter2}
            prerequisites: [{name: image, type: dockerimage, uri: none}]
            taskRoles:
              main:
                dockerImage: image
                resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                commands: ["echo <% $secrets.word %>"]
            """;
}
