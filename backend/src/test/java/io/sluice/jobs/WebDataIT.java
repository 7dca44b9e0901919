package io.sluice.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.Transfer;
import io.sluice.jobs.data.web.Authorities;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.WebLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Data that comes to jobs from the web, as prerequisites name it. */
class WebDataIT {
    private static final byte[] SET = bytes(3_000_000);
    private static final long HUGE = 1L << 50;

    private final ScriptedEngine engine = new ScriptedEngine(1, 8, 0);
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger parts = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private HttpServer server;

    @RegisterExtension
    private final Desk desk = new Desk(engine);

    private static byte[] bytes(int size) {
        return bytes(size, 1);
    }

    private static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        open(new Hosts(Set.of("localhost:" + port())));
    }

    @AfterEach
    void end() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void open(Hosts hosts) {
        open(hosts, Limits.USUAL);
    }

    private void open(Hosts hosts, Limits limits) {
        desk.leave();
        desk.open(desk.data(), Stores.NONE, new WebLine.Settings(hosts, limits, Authorities.USUAL));
    }

    private int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange call) throws IOException {
        asked.incrementAndGet();
        String path = call.getRequestURI().getPath();
        try (call) {
            switch (path) {
                case "/set.bin" -> send(call, SET, SET.length);
                case "/cut.bin" -> cut(call);
                case "/nameless.bin" -> nameless(call);
                case "/slow.bin" -> slow(call);
                case "/huge" -> send(call, new byte[1], HUGE);
                case "/chunked" -> send(call, new byte[10], 0);
                case "/there" -> redirect(call, "/set.bin");
                case "/inside" -> redirect(call, "http://127.0.0.1:" + port() + "/set.bin");
                case "/metadata" -> redirect(call, "http://169.254.169.254/latest/meta-data/");
                case "/round" -> redirect(call, "/round");
                default -> call.sendResponseHeaders(404, -1);
            }
        }
    }

    private static void send(HttpExchange call, byte[] bytes, long length) throws IOException {
        call.getResponseHeaders().set("ETag", "\"one\"");
        call.getResponseHeaders().set("Last-Modified", "Tue, 03 Jun 2025 10:00:00 GMT");
        call.sendResponseHeaders(200, length);
        call.getResponseBody().write(bytes);
        call.getResponseBody().flush();
    }

    /** Half of it, and then the rest of whoever asks for that. */
    private void cut(HttpExchange call) throws IOException {
        String range = call.getRequestHeaders().getFirst("Range");
        if (range == null) {
            cuts.incrementAndGet();
            send(call, Arrays.copyOf(SET, SET.length / 2), SET.length);
        } else {
            int from = Integer.parseInt(range.replaceAll("\\D", ""));
            call.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (SET.length - 1) + "/" + SET.length);
            call.sendResponseHeaders(206, SET.length - from);
            call.getResponseBody().write(SET, from, SET.length - from);
        }
    }

    /** Another content each time that it is asked for, and nothing to tell that by. */
    private void nameless(HttpExchange call) throws IOException {
        int version = cuts.incrementAndGet();
        parts.accumulateAndGet(parts(), Math::max);
        byte[] all = bytes(SET.length, version);
        call.sendResponseHeaders(200, all.length);
        call.getResponseBody().write(all, 0, version < 4 ? all.length / version : all.length);
    }

    /** What has begun to come. */
    private int parts() throws IOException {
        try (var all = Files.walk(desk.data().resolve("inputs"))) {
            return (int) all.filter(one -> one.toString().contains("/.sluice/")).count();
        }
    }

    private void slow(HttpExchange call) throws IOException {
        send(call, Arrays.copyOf(SET, 10), SET.length);
        for (int more = 0; more < 1_000 && !threads.isShutdown(); more++) {
            call.getResponseBody().write(more);
            call.getResponseBody().flush();
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static void redirect(HttpExchange call, String to) throws IOException {
        call.getResponseHeaders().set("Location", to);
        call.sendResponseHeaders(302, -1);
    }

    private String job(String name, String... uris) {
        return """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites:
                  - {name: image, type: dockerimage, uri: none}
                  - {name: Training-Set, type: data, uri: ["%s"]}
                taskRoles:
                  worker:
                    dockerImage: image
                    data: Training-Set
                    resourcePerInstance: {cpu: 1, memoryMB: 10, gpu: 0}
                    commands: ["true"]
                """.formatted(name, String.join("\", \"", uris));
    }

    private String near(String path) {
        return "http://localhost:" + port() + path;
    }

    private Path input(String name) {
        return desk.input(name, "training_set");
    }

    private String failure(String path) {
        desk.submit("ada", job("failing", path.startsWith("/") ? near(path) : path));
        String why = desk.notFetched("failing");
        assertThat(engine.starts).isEmpty();
        return why;
    }

    @Test
    void a_task_finds_what_a_prerequisite_names() {
        desk.submit("ada", job("all", near("/set.bin"), "/gdata/more", "any text"));
        String run = desk.running(1).getFirst();
        assertThat(input("all").resolve("set.bin")).hasBinaryContent(SET);
        assertThat(engine.task(run).environment())
                .containsEntry("SLUICE_INPUT_TRAINING_SET", "/input/training_set")
                .containsEntry("SLUICE_INPUT_TRAINING_SET_2", "/gdata/more")
                .doesNotContainKey("SLUICE_INPUT_TRAINING_SET_3");
        List<Transfer> told = desk.jobs().data(desk.job("ada", "all")).await();
        assertThat(told).extracting(Transfer::state).containsExactly(Transfer.State.DONE, Transfer.State.IN_PLACE);
        Path input = input("all");
        engine.end(run, 0);
        desk.finished("ada", "all");
        desk.eventually(() -> !Files.exists(input));
    }

    @Test
    void what_no_role_asks_for_is_not_fetched() {
        desk.submit("ada", job("none", near("/set.bin")).replace("    data: Training-Set\n", ""));
        desk.running(1);
        assertThat(asked).hasValue(0);
    }

    @Test
    void a_body_that_is_cut_goes_on_where_it_was() {
        desk.submit("ada", job("cut", near("/cut.bin")));
        desk.running(1);
        assertThat(input("cut").resolve("cut.bin")).hasBinaryContent(SET);
        assertThat(cuts).as("one that counts, and one that was cut").hasValue(2);
    }

    @Test
    void what_is_cut_and_has_no_version_begins_anew() {
        desk.submit("ada", job("nameless", near("/nameless.bin")));
        desk.running(1);
        assertThat(input("nameless").resolve("nameless.bin")).hasBinaryContent(bytes(SET.length, cuts.get()));
        assertThat(cuts).hasValue(4);
        assertThat(parts).as("no more than one is kept").hasValue(1);
    }

    @Test
    void more_than_one_address_may_bring_is_refused() {
        open(new Hosts(Set.of("localhost")), new Limits(1 << 20, Duration.ofHours(1)));
        assertThat(failure("/set.bin")).contains("has 2 MiB, and one address may bring 1 MiB", "--data-size");
        assertThat(desk.registry.getSampleValue(
                        "sluice_data_inputs_total", new String[] {"source", "end"}, new String[] {"web", "failed"}))
                .isEqualTo(1);
    }

    @Test
    void who_sends_a_byte_now_and_then_keeps_no_machine() {
        open(new Hosts(Set.of("localhost")), new Limits(1 << 30, Duration.ofMillis(500)));
        assertThat(failure("/slow.bin?key=secret"))
                .contains("/slow.bin?… has not come within", "--data-minutes")
                .doesNotContain("key=secret");
    }

    @Test
    void a_server_may_lead_elsewhere() {
        desk.submit("ada", job("there", near("/there")));
        desk.running(1);
        assertThat(input("there").resolve("there")).hasBinaryContent(SET);
    }

    @Test
    void a_server_may_not_lead_inside() {
        assertThat(failure("/inside"))
                .contains("Input training_set could not be fetched", "127.0.0.1", "no public address", "--data-hosts");
        assertThat(asked).hasValue(1);
    }

    @Test
    void a_server_may_not_lead_to_what_a_cloud_tells_its_machines() {
        assertThat(failure("/metadata")).contains("169.254.169.254", "no public address");
    }

    @Test
    void who_is_led_round_and_round_stops() {
        assertThat(failure("/round")).contains("leads elsewhere more than 5 times");
        assertThat(asked).hasValue(6);
    }

    @Test
    void an_inside_name_that_nobody_has_opened_is_not_asked() {
        open(Hosts.PUBLIC);
        assertThat(failure("/set.bin")).contains("localhost is 127.0.0.1", "no public address");
        assertThat(asked).hasValue(0);
    }

    @Test
    void what_the_disk_can_not_take_is_not_begun() throws IOException {
        open(new Hosts(Set.of("localhost")), new Limits(Long.MAX_VALUE, Duration.ofHours(1)));
        assertThat(failure("/huge")).contains("MiB more, and the disk of this gateway has");
        assertThat(input("failing")).doesNotExist();
    }

    @Test
    void a_length_that_is_not_told_fails_the_job() {
        assertThat(failure("/chunked")).contains("does not tell how long that is");
    }

    @Test
    void what_is_not_there_fails_the_job() {
        assertThat(failure("/nothing")).contains("There is nothing at " + near("/nothing"));
    }

    @Test
    void passwords_in_addresses_are_not_sent() {
        assertThat(failure("http://ada:secret@localhost:" + port() + "/set.bin"))
                .contains("name or password in it is not asked")
                .doesNotContain("secret@");
        assertThat(asked).hasValue(0);
    }
}
