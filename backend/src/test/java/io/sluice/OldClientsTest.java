package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What OpenPAI's clients send, below {@code /rest-server}: the one for VS Code in its order, the pages that it opens, and every question
 * for a list.
 */
class OldClientsTest {
    private static final String REST = "/rest-server/api";
    private static final String YAML = """
            protocolVersion: 2
            name: from_code
            type: job
            prerequisites: [{name: image, type: dockerimage, uri: none}]
            taskRoles:
              main:
                dockerImage: image
                resourcePerInstance: {cpu: 1, memoryMB: 1000000000, gpu: 0}
                commands: ["true"]
            """;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Crowd crowd;

    @BeforeAll
    static void start() {
        server = new TestServer(folder);
        crowd = new Crowd(server.vertx(), server.database(), server.address());
    }

    @AfterAll
    static void stop() {
        crowd.close();
        server.close();
    }

    private static Browser signedIn() {
        Browser browser = crowd.browser();
        var answer = browser.send(
                        HttpMethod.POST,
                        REST + "/v1/token",
                        "application/x-www-form-urlencoded",
                        Buffer.buffer("username=admin&password=" + TestServer.PASSWORD.replace(" ", "+")
                                + "&expiration=4000"))
                .await();
        assertThat(answer.statusCode()).as(answer.bodyAsString()).isEqualTo(200);
        JsonObject login = answer.bodyAsJsonObject();
        assertThat(login.getString("user")).isEqualTo("admin");
        assertThat(login.getBoolean("admin")).isTrue();
        browser.headers.set("Authorization", "Bearer " + login.getString("token"));
        return browser;
    }

    @Test
    void it_finds_out_the_protocol_without_signing_in() {
        var probe = crowd.browser().get(REST + "/v2/jobs/protocolversion/config");
        assertThat(probe.getHeader("Content-Type")).startsWith("application/json");
        assertThat(probe.bodyAsJsonObject().getString("code"))
                .as("it would take version 1")
                .isNotEqualTo("NoApiError");
        JsonObject info = crowd.browser().get(REST + "/v2/info").bodyAsJsonObject();
        assertThat(info.getString("authnMethod")).isEqualTo("basic");
        assertThat(info.getString("launcherType")).isEqualTo("k8s");
        assertThat(crowd.browser()
                        .get(REST + "/v1/authn/info")
                        .bodyAsJsonObject()
                        .getString("authn_type"))
                .isEqualTo("basic");
    }

    @Test
    void it_checks_a_name_submits_lists_looks_and_stops() {
        Browser code = signedIn();
        String old = REST + "/v1/user/admin/jobs/from_code";
        var free = code.get(old);
        assertThat(free.statusCode()).isEqualTo(404);
        assertThat(free.bodyAsJsonObject().getString("code")).isEqualTo("NoJobError");
        var sent = code.send(HttpMethod.POST, REST + "/v2/jobs", "text/yaml", Buffer.buffer(YAML))
                .await();
        assertThat(sent.statusCode()).as(sent.bodyAsString()).isEqualTo(202);
        assertThat(code.get(old).statusCode())
                .as("a job of version 2 is found by the old path")
                .isEqualTo(200);
        assertThat(code.get(REST + "/v2/jobs?username=admin")
                        .bodyAsJsonArray()
                        .getJsonObject(0)
                        .getString("name"))
                .isEqualTo("from_code");
        JsonObject detail = code.get(REST + "/v2/jobs/admin~from_code").bodyAsJsonObject();
        assertThat(detail.getJsonObject("jobStatus").getString("state")).isEqualTo("WAITING");
        assertThat(detail.getJsonObject("taskRoles").getJsonObject("main").getJsonArray("taskStatuses"))
                .hasSize(1);
        assertThat(code.get(REST + "/v2/jobs/admin~from_code/config").bodyAsString())
                .contains("name: from_code");
        var ssh = code.get(REST + "/v2/jobs/admin~from_code/ssh");
        assertThat(ssh.statusCode()).isEqualTo(404);
        assertThat(ssh.bodyAsJsonObject().getString("code")).isEqualTo("NoJobSshInfoError");
        var stopped = code.send(
                        HttpMethod.PUT,
                        REST + "/v2/jobs/admin~from_code/executionType",
                        "application/json",
                        Buffer.buffer("{\"value\":\"STOP\"}"))
                .await();
        assertThat(stopped.statusCode()).isEqualTo(202);
        assertThat(code.get(REST + "/v2/jobs/admin~from_code")
                        .bodyAsJsonObject()
                        .getJsonObject("jobStatus")
                        .getString("state"))
                .isEqualTo("STOPPED");
    }

    @Test
    void it_submits_and_lists_in_version_1_too() {
        Browser code = signedIn();
        var sent = code.send(HttpMethod.POST, REST + "/v1/user/admin/jobs", "application/json", Buffer.buffer("""
                                {"jobName": "old_job", "image": "none",
                                 "taskRoles": [{"name": "main", "memoryMB": 1000000000, "shmMB": 64, "command": "true"}]}
                                """))
                .await();
        assertThat(sent.statusCode()).as(sent.bodyAsString()).isEqualTo(202);
        assertThat(code.get(REST + "/v1/user/admin/jobs").bodyAsString()).contains("\"name\":\"old_job\"");
        assertThat(code.get(REST + "/v1/user/admin/jobs/old_job/ssh")
                        .bodyAsJsonObject()
                        .getString("code"))
                .isEqualTo("NoJobSshInfoError");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "job-detail.html?username=admin&jobName=a_job       | /jobs/admin~a_job",
                "job-detail.html?username=a%2Fb&jobName=c%3Fd       | /jobs/a%2Fb~c%3Fd",
                "job-detail.html                                    | /jobs",
                "job-event.html?userName=ada&jobName=a_job          | /jobs/ada~a_job",
                "task-attempt.html?userName=ada&jobName=j&taskRole=w | /jobs/ada~j",
                "job-list.html                                      | /jobs",
                "job-list.html?status=Running&vcName=lab&user=ada   | /jobs?user=ada&state=running&vc=lab",
                "job-list.html?jobPriority=Product&keyword=a+b      | /jobs?priority=prod&q=a+b",
                "job-list.html?status=Waiting,Running&user=a,b      | /jobs",
                "submit.html                                        | /jobs/new",
                "submit.html?op=resubmit&type=job&user=ada&jobName=j | /jobs/new?clone=ada~j",
                "home.html                                          | /",
                "index.html                                         | /",
                "virtual-clusters.html                              | /virtual-clusters",
            })
    void the_portal_s_pages_lead_to_the_ones_in_their_place(String old, String page) {
        var led = signedIn().get("/" + old);
        assertThat(led.statusCode()).isEqualTo(303);
        assertThat(led.getHeader("Location")).isEqualTo(page);
    }

    /** Four jobs that are over, of somebody whom nobody has met before. */
    private static Browser somebodyWithFourJobs() {
        var person = crowd.person("lister" + NUMBER.incrementAndGet(), false);
        server.database()
                .pool()
                .query("""
                        INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, priority_class, preemptible, demand, tasks, roles,
                            devices, retries, retry_count, state, shown, submitted, completed, tags)
                        SELECT %d, '%s', name, vc, 0, priority, false, '[]', tasks, 1, devices, retries, 0, 'finalised', shown,
                            timestamptz '2020-01-01' + at * interval '1 minute', timestamptz '2020-01-02' + took * interval '1 minute', tags
                        FROM (VALUES
                            ('a', 'default', 'prod', 1, 0, 0, 'SUCCEEDED', 1, 10, '{}'::text[]),
                            ('b', 'lab', NULL, 4, 8, 2, 'FAILED', 2, 9, '{x}'),
                            ('c', 'default', 'oppo', 2, 1, 1, 'STOPPED', 3, 8, '{x,y}'),
                            ('d', 'lab', 'test', 3, 2, 3, 'SUCCEEDED', 4, NULL, '{}'))
                            AS job (name, vc, priority, tasks, devices, retries, shown, at, took, tags)
                        ORDER BY at
                        """.formatted(person.id(), person.name()))
                .execute()
                .await();
        Browser browser = crowd.browser();
        browser.headers.set("Authorization", "Bearer " + crowd.bearer(person));
        return browser;
    }

    private static String names(JsonArray jobs) {
        return jobs.stream().map(job -> ((JsonObject) job).getString("name")).collect(Collectors.joining());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                         | dcba",
                "order=submissionTime,ASC   | abcd",
                "order=jobName,ASC          | abcd",
                "order=jobName,DESC         | dcba",
                "order=vc,ASC               | cadb",
                "order=retries,DESC         | dbca",
                "order=totalTaskNumber,DESC | bdca",
                "order=totalGpuNumber,ASC   | acdb",
                "order=state,ASC            | bcda",
                "order=completionTime,ASC   | cbad",
                "order=completionTime,DESC  | dabc",
                "order=jobPriority,ASC      | cadb",
                "order=jobPriority,DESC     | bdac",
                "order=age,ASC              | dcba",
                "vc=lab                     | db",
                "state=FAILED,STOPPED       | cb",
                "keyword=lab                | db",
                "tagsContain=y,z            | c",
                "tagsNotContain=x           | da",
                "jobPriority=prod,default   | ba",
                "username=somebody          | ''",
                "offset=1&limit=2           | cb",
                "offset=2&limit=5           | ba",
                "offset=1&limit=2&order=jobName,ASC                 | bc",
                "offset=1&limit=2&state=FAILED,STOPPED,SUCCEEDED    | cb",
                "offset=9                   | ''",
                "limit=0                    | ''",
            })
    void a_list_is_filtered_and_ordered_and_cut(String query, String expected) {
        Browser code = somebodyWithFourJobs();
        assertThat(names(code.get(REST + "/v2/jobs?" + query).bodyAsJsonArray()))
                .isEqualTo(expected);
        var counted = code.get(REST + "/v2/jobs?withTotalCount=true&" + query).bodyAsJsonObject();
        assertThat(names(counted.getJsonArray("data"))).isEqualTo(expected);
        boolean cut = query.contains("limit") || query.contains("offset");
        assertThat(counted.getInteger("totalCount")).isEqualTo(cut ? 4 : expected.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"?limit=1", "?state=SUCCEEDED,FAILED&limit=2", "?keyword=lab&withTotalCount=true&limit=1"})
    void a_list_is_read_on_by_its_link_to_its_end(String query) {
        Browser code = somebodyWithFourJobs();
        String all = names(code.get(REST + "/v2/jobs" + query.replaceAll("&?(limit=\\d|withTotalCount=true)", ""))
                .bodyAsJsonArray());
        var found = new StringBuilder();
        for (String next = query; next != null; ) {
            var page = code.get(REST + "/v2/jobs" + next);
            boolean counted = query.contains("withTotalCount");
            found.append(names(counted ? page.bodyAsJsonObject().getJsonArray("data") : page.bodyAsJsonArray()));
            String link = page.getHeader("Link");
            next = link == null ? null : link.replaceFirst("^<(.*)>; rel=\"next\"$", "$1");
        }
        assertThat(found.toString()).isEqualTo(all).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit=50001                   | Limit exceeds max number 50000.",
                "state=DONE                    | A state is one of",
                "offset=-1                     | offset must be a number",
                "after=yesterday               | after is what the Link",
                "after=1.1&order=jobName,ASC   | newest first",
                "after=1.1&offset=3            | newest first",
            })
    void what_a_list_can_not_be_is_told(String query, String message) {
        var refused = somebodyWithFourJobs().get(REST + "/v2/jobs?" + query);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.bodyAsJsonObject().getString("code")).isEqualTo("InvalidParametersError");
        assertThat(refused.bodyAsJsonObject().getString("message")).contains(message);
    }
}
