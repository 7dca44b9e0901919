package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Door;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The road as browsers travel it over TLS: many exchanges on one connection, which no app may bring down. */
@Timeout(120)
class Http2RoadIT {
    @TempDir
    private static Path folder;

    private static DoorDesk desk;
    private static DoorDesk.Somebody ann;
    private static Door door;
    private static HttpClientAgent browser;

    private record Answer(int status, String got, String body, HttpConnection connection) {}

    @BeforeAll
    static void open() throws Exception {
        desk = new DoorDesk(folder, Trusting.FLAGS);
        ann = desk.somebody("ann");
        door = ann.evil("evil");
        browser = desk.server
                .vertx()
                .createHttpClient(
                        new HttpClientOptions()
                                .setSsl(true)
                                .setUseAlpn(true)
                                .setProtocolVersion(HttpVersion.HTTP_2)
                                .setTrustAll(true)
                                .setVerifyHost(false),
                        new PoolOptions().setHttp2MaxSize(1));
    }

    @AfterAll
    static void close() {
        ann.stop("evil");
        browser.close();
        desk.close();
    }

    private static Future<Answer> ask(HttpMethod method, String uri, int length) {
        var options = new RequestOptions()
                .setHost("127.0.0.1")
                .setPort(desk.port())
                .setMethod(method)
                .setURI(uri);
        return browser.request(options).compose(request -> {
            request.authority(HostAndPort.parseAuthority(door.host(), 443)).putHeader("Cookie", door.cookie());
            var answered = request.response()
                    .compose(answer -> answer.body()
                            .map(body -> new Answer(
                                    answer.statusCode(),
                                    String.valueOf(answer.getHeader("X-Got")),
                                    body.toString(),
                                    request.connection())));
            if (length == 0) {
                return request.end().compose(sent -> answered);
            }
            request.putHeader("Content-Length", "" + length);
            return request.end(Buffer.buffer("x".repeat(length))).compose(sent -> answered);
        });
    }

    private static Answer now(HttpMethod method, String uri, int length) throws Exception {
        return ask(method, uri, length)
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void what_comes_with_a_question_is_told_whole_whatever_its_method() throws Exception {
        for (HttpMethod method :
                new HttpMethod[] {HttpMethod.GET, HttpMethod.POST, HttpMethod.GET, HttpMethod.DELETE}) {
            Answer with = now(method, "/echo", 60);
            assertThat(with.status()).as("%s %s", method, with.body()).isEqualTo(200);
            assertThat(with.got()).as("%s", method).isEqualTo("60");
            Answer without = now(method, "/echo", 0);
            assertThat(without.got()).as("%s", method).isEqualTo("0");
            assertThat(without.body()).startsWith(method.name() + " /echo HTTP/1.1\r\n");
        }
    }

    @Test
    void an_app_that_fails_costs_its_own_answer_and_not_the_connection() throws Exception {
        HttpConnection connection = now(HttpMethod.GET, "/", 0).connection();
        var beside = ask(HttpMethod.GET, "/big?n=3000000", 0);
        for (String fault : new String[] {"/close", "/garbage", "/first?l=HTTP/1.1%2042%20No", "/switch"}) {
            assertThat(now(HttpMethod.GET, fault, 0).status()).as(fault).isEqualTo(502);
            assertThat(now(HttpMethod.POST, fault, 10).status()).as(fault).isEqualTo(502);
        }
        Answer after = now(HttpMethod.GET, "/", 0);
        assertThat(after.status()).isEqualTo(200);
        assertThat(after.connection()).isSameAs(connection);
        assertThat(beside.toCompletionStage()
                        .toCompletableFuture()
                        .get(20, TimeUnit.SECONDS)
                        .body())
                .hasSize(3_000_000);
    }

    @Test
    void a_way_in_that_was_used_is_told_as_such_and_not_by_closing() throws Exception {
        HttpConnection connection = now(HttpMethod.GET, "/", 0).connection();
        URI ticket = ann.ticket("evil", "web");
        String uri = ticket.getRawPath() + "?" + ticket.getRawQuery();
        assertThat(now(HttpMethod.GET, uri, 0).status()).isEqualTo(303);
        assertThat(now(HttpMethod.GET, uri, 0).status()).isEqualTo(401);
        assertThat(now(HttpMethod.GET, "/", 0).connection()).isSameAs(connection);
    }
}
