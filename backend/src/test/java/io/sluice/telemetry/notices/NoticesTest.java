package io.sluice.telemetry.notices;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.sluice.identity.Identity;
import io.sluice.jobs.Desk;
import io.sluice.jobs.Jobs;
import io.sluice.jobs.ScriptedEngine;
import io.sluice.telemetry.Telemetry;
import io.sluice.web.addresses.Networks;
import io.sluice.web.addresses.Networks.Network;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is told outside, to a server that listens and one that does not. */
class NoticesTest {
    private static final Networks HERE = new Networks(List.of(Network.of("127.0.0.1")));

    @RegisterExtension
    private final Desk desk = new Desk(new ScriptedEngine(1, 8, 0));

    private final List<HttpServerRequest> requests = new CopyOnWriteArrayList<>();
    private final List<Buffer> bodies = new CopyOnWriteArrayList<>();
    private final List<Notices> opened = new ArrayList<>();
    private volatile int status = 200;
    private HttpServer server;
    private Instant now = Instant.now();

    @BeforeEach
    void open() {
        desk.database
                .database()
                .migrate(List.of(Identity.MIGRATIONS, Jobs.MIGRATIONS, Telemetry.MIGRATIONS))
                .await();
        desk.submit("ada", """
                {"jobName": "train", "image": "none", "taskRoles": [
                    {"name": "main", "taskNumber": 1, "cpuNumber": 1, "memoryMB": 100, "command": "true"}]}
                """);
        server = desk.vertx
                .createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> {
                    requests.add(request);
                    bodies.add(body);
                    request.response()
                            .putHeader("Location", "http://127.0.0.1:1/")
                            .setStatusCode(status)
                            .end();
                }))
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterEach
    void close() {
        opened.forEach(notices -> notices.close().await());
        server.close().await();
    }

    private Notices notices(Networks networks, @Nullable MailDesk mail) {
        var settings =
                new Outside.Settings(mail == null ? null : mail.address(""), null, "sluice@example.org", networks);
        var notices = new Notices(
                desk.vertx,
                desk.database.database(),
                desk.jobs(),
                new CollectorRegistry(),
                new Outside(
                        settings,
                        name -> Future.succeededFuture(
                                name.equals("ada")
                                        ? Optional.of(new Outside.Reader("ada@example.org", List.of("en", "zh")))
                                        : Optional.empty()),
                        (language, key, values) -> language + " " + key + " " + List.of(values),
                        () -> "https://sluice.example.org"));
        opened.add(notices);
        return notices;
    }

    private void wanted(String kind, String host) {
        JsonObject message = new JsonObject()
                .put("job", "ada~train")
                .put("user", "ada")
                .put("name", "train")
                .put("virtualCluster", "default")
                .put("devices", 8)
                .put("idleMinutes", 31)
                .put("then", "STOP")
                .put("patience", 20)
                .put("keepHours", 4)
                .put("webhook", "http://" + host + ":" + server.actualPort() + "/hooks/1?a=b");
        desk.database
                .database()
                .pool()
                .preparedQuery("INSERT INTO idle_notices (job_id, attempt, kind, message, made, due)"
                        + " SELECT id, 0, $1, $2::text::json, $3, $3 FROM jobs")
                .execute(Tuple.of(kind, message.encode(), now.atOffset(ZoneOffset.UTC)))
                .await();
    }

    private long waiting() {
        return desk.query("SELECT count(*) FROM idle_notices");
    }

    private List<String> history() {
        return desk.jobs().events(desk.job("ada", "train"), true, 100).await().stream()
                .map(event -> event.message())
                .toList();
    }

    @Test
    void a_webhook_is_told_once_with_a_signature_that_its_secret_proves() throws Exception {
        wanted("webhook", "127.0.0.1");
        notices(HERE, null).tell(now);
        notices(HERE, null).tell(now);
        assertThat(requests).hasSize(1);
        var request = requests.getFirst();
        assertThat(request.uri()).isEqualTo("/hooks/1?a=b");
        String id = request.getHeader("webhook-id");
        String time = request.getHeader("webhook-timestamp");
        String secret = desk.jobs().idling().secret("default");
        assertThat(request.getHeader("webhook-signature"))
                .isEqualTo("v1," + Webhook.signature(secret, id, time, bodies.getFirst()));
        assertThat(desk.jobs().idling().secret("another")).isNotEqualTo(secret);
        JsonObject body = bodies.getFirst().toJsonObject();
        assertThat(body.getString("type")).isEqualTo("job.idle");
        assertThat(body.getJsonObject("data").getString("url")).isEqualTo("https://sluice.example.org/jobs/ada~train");
        assertThat(body.getJsonObject("data").containsKey("webhook")).isFalse();
        assertThat(waiting()).isZero();
    }

    /** The example of Standard Webhooks' own libraries. */
    @Test
    void the_signature_is_the_one_of_standard_webhooks() {
        assertThat(Webhook.signature(
                        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                        "msg_p5jXN8AQM9LWM0D4loKWxJek",
                        "1614265330",
                        Buffer.buffer("{\"test\": 2432232314}")))
                .isEqualTo("g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    @Test
    void one_that_does_not_take_it_is_asked_again_with_longer_and_longer_rests_and_then_never() throws Exception {
        status = 500;
        wanted("webhook", "127.0.0.1");
        var notices = notices(HERE, null);
        for (int rest : List.of(0, 10, 30, 90, 270, 810)) {
            now = now.plusSeconds(Math.max(0, rest - 1));
            assertThat(notices.tell(now)).isEqualTo(rest == 0);
            now = now.plusSeconds(rest == 0 ? 0 : 2);
            if (rest > 0) {
                assertThat(notices.tell(now)).isTrue();
            }
        }
        assertThat(requests).hasSize(6);
        assertThat(requests.stream()
                        .map(request -> request.getHeader("webhook-id"))
                        .distinct())
                .hasSize(1);
        desk.eventually(() -> waiting() == 0);
        assertThat(history()).contains("The webhook was not reached: HTTP 500");
    }

    @Test
    void one_that_leads_inside_is_not_gone_to_whatever_its_name() throws Exception {
        for (String host : List.of("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]")) {
            wanted("webhook", host);
            notices(Networks.PUBLIC, null).tell(now);
            desk.eventually(() -> waiting() == 0);
        }
        assertThat(requests).isEmpty();
        assertThat(history()).hasSize(4).allMatch(line -> line.contains("no public address"));
    }

    @Test
    void nobody_is_followed_elsewhere() throws Exception {
        status = 302;
        wanted("webhook", "127.0.0.1");
        notices(HERE, null).tell(now);
        desk.eventually(() -> waiting() == 0);
        assertThat(requests).hasSize(1);
        assertThat(history()).anyMatch(line -> line.contains("HTTP 302"));
    }

    @Test
    void what_another_gateway_took_and_did_not_finish_is_taken_again_after_its_term() throws Exception {
        wanted("webhook", "127.0.0.1");
        desk.query("UPDATE idle_notices SET due = due + interval '2 minutes', tries = 1 RETURNING 1");
        var notices = notices(HERE, null);
        assertThat(notices.tell(now)).isFalse();
        assertThat(notices.tell(now.plus(Duration.ofMinutes(3)))).isTrue();
        assertThat(requests).hasSize(1);
    }

    @Test
    void the_owner_is_written_to_with_a_link_to_the_page_in_both_languages() throws Exception {
        try (var mail = new MailDesk()) {
            wanted("mail", "127.0.0.1");
            notices(HERE, mail).tell(now);
            desk.eventually(() -> waiting() == 0);
            String text = new String(
                    java.util.Base64.getMimeDecoder()
                            .decode(mail.letters.getFirst().split("\n\n", 2)[1]),
                    java.nio.charset.StandardCharsets.UTF_8);
            assertThat(text)
                    .contains("en idle.mail.text [ada~train, default, 8, 31]", "en idle.mail.STOP [20]", "zh idle.mail")
                    .contains("https://sluice.example.org/jobs/ada~train");
        }
    }

    @Test
    void the_history_is_told_without_any_server() throws Exception {
        wanted("history", "127.0.0.1");
        wanted("mail", "127.0.0.1");
        notices(Networks.PUBLIC, null).tell(now);
        desk.eventually(() -> waiting() == 0);
        assertThat(history()).containsExactly("Its devices have done nothing for 31 minutes.");
    }
}
