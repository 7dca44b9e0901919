package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.engines.docker.TestDaemon;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.ObjectServer;
import io.sluice.jobs.data.PartServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data that comes to tasks in containers and goes from them, through the whole gateway. */
@SuppressWarnings("NullAway.Init")
class DockerDataIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final byte[] SET = "a,b\n1,2\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private static Path folder;

    /** What was opened, the newest last. */
    private static final ArrayList<AutoCloseable> OPEN = new ArrayList<>();

    private static ObjectServer objects;
    private static PartServer parts;
    private static URI web;
    private static TestDaemon daemon;
    private static Household house;

    @BeforeAll
    static void start() throws Exception {
        daemon = open(new TestDaemon());
        objects = open(new ObjectServer(Files.createDirectory(folder.resolve("objects"))));
        parts = open(new PartServer());
        web = web();
        house = open(new Household(
                folder.toRealPath(),
                TestDaemon.IMAGE,
                Map.of(
                        "SLUICE_ENGINE",
                        "docker",
                        "SLUICE_DOCKER_HOST",
                        daemon.host(),
                        "SLUICE_S3_STORES",
                        "near=" + address(objects.stores()) + ",parts=" + address(parts.stores()),
                        "SLUICE_DATA_HOSTS",
                        web.getAuthority())));
        house.start("");
        for (String store : new String[] {"near", "parts"}) {
            String key = "{\"accessKey\": \"%s\", \"secretKey\": \"%s\"}"
                    .formatted(ObjectServer.KEY.id(), ObjectServer.KEY.secret());
            assertThat(house.put("/api/v2/stores/" + store + "/key", key).statusCode())
                    .isEqualTo(204);
        }
    }

    private static <T extends AutoCloseable> T open(T one) {
        OPEN.add(one);
        return one;
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable one : OPEN.reversed()) {
            one.close();
        }
    }

    private static URI web() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/set.csv", DockerDataIT::answer);
        server.start();
        open(() -> server.stop(0));
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/set.csv");
    }

    private static void answer(HttpExchange call) throws IOException {
        try (call) {
            call.getResponseHeaders().set("ETag", "\"one\"");
            call.sendResponseHeaders(200, SET.length);
            call.getResponseBody().write(SET);
        }
    }

    private static String address(Stores stores) {
        return stores.all().getFirst().endpoint().toString();
    }

    private static byte[] bytes(int size, int seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void submit(String name, int instances, String data, String command) throws IOException {
        var answer = house.submitText(
                """
                protocolVersion: 2
                name: %s
                type: job
                prerequisites:
                  - {name: image, type: dockerimage, uri: "%s"}
                  - {name: set, type: data, uri: ["%s", /userhome/code]}
                taskRoles:
                  worker:
                    instances: %d
                    dockerImage: image
                    data: set
                    resourcePerInstance: {cpu: 1, memoryMB: 64, gpu: 0}
                    commands: [%s]
                extras: {gangAllocation: false, sluice: {data: {%s}}}
                """.formatted(name, TestDaemon.IMAGE, web, instances, "'" + command.replace("'", "''") + "'", data),
                "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
    }

    private static void succeeds(String name) throws Exception {
        house.ends(LIMIT, name);
        assertThat(house.state(name)).as(JobTrace.of(house, name)).isEqualTo("SUCCEEDED");
    }

    /** As a script for ModelArts takes its arguments. */
    private static final String SCRIPT = """
            set -e
            for word; do case $word in
              --data_url=*) data_url=${word#*=};; --train_url=*) train_url=${word#*=};; esac; done
            task=$PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX
            [ "$task" = 1 ] || echo "task 0 was here" > "$data_url/sub folder/met"
            for i in $(seq 300); do [ -e "$data_url/sub folder/met" ] && break; sleep 0.1; done
            cp "$data_url/a.bin" "$train_url/weights-$task.bin"
            mkdir -p "$train_url/logs/$task"
            { cat "$data_url/sub folder/数据.txt" "$data_url/sub folder/met" "$SLUICE_INPUT_SET/set.csv"
              ls "$SLUICE_INPUT_SET_2"; ls /input; } > "$train_url/logs/$task/said"
            """;

    @Test
    void tasks_in_containers_see_one_folder_with_their_data_and_what_they_leave_is_brought_back() throws Exception {
        objects.put("train/a.bin", bytes(300_000, 1));
        objects.put("train/sub folder/数据.txt", "hello\n".getBytes(StandardCharsets.UTF_8));
        objects.put("trainer/not-this", bytes(10, 2));
        Files.writeString(Files.createDirectories(house.home().resolve("code")).resolve("train.sh"), SCRIPT);
        submit(
                "container",
                2,
                "inputs: [{name: data_url, from: \"s3://near/lab/train/\"}],"
                        + " outputs: [{name: train_url, to: \"s3://near/lab/models\"}]",
                "bash /userhome/code/train.sh --data_url=\"$SLUICE_INPUT_DATA_URL\" --train_url=\"$SLUICE_OUTPUT_TRAIN_URL\"");
        succeeds("container");
        for (int task = 0; task < 2; task++) {
            assertThat(objects.content("models/weights-" + task + ".bin")).isEqualTo(bytes(300_000, 1));
            assertThat(objects.content("models/logs/" + task + "/said"))
                    .asString()
                    .isEqualTo("hello\ntask 0 was here\na,b\n1,2\ntrain.sh\ndata_url\nset\n");
        }
        Household.eventually(() -> daemon.tasks().isEmpty());
        Household.eventually(() -> inputs() == 0);
    }

    /** Jobs that have fetched data here. */
    private static long inputs() throws IOException {
        Path all = house.data().resolve("inputs");
        try (var found =
                Files.find(all, 2, (path, attributes) -> all.relativize(path).getNameCount() == 2)) {
            return found.count();
        }
    }

    @Test
    void what_a_killed_gateway_was_fetching_and_bringing_back_goes_on_where_it_was() throws Exception {
        var killed = new CountDownLatch(1);
        parts.refuse(503, request -> {
            boolean second = request.startsWith("PUT") && request.contains("partNumber=2");
            if (second) { // it is on its way when the gateway dies, and lost
                await(killed);
            }
            return second;
        });
        submit(
                "parts",
                1,
                "outputs: [{name: train_url, to: \"s3://parts/lab/killed\"}]",
                "echo begun > $SLUICE_OUTPUT_TRAIN_URL/big; dd if=/dev/zero of=$SLUICE_OUTPUT_TRAIN_URL/big bs=1 count=1 seek=68000000 conv=notrunc");
        Household.eventually(() -> parts.received().containsKey("own-1/1"));
        objects.put("resumed/big", bytes(3_000_000, 3));
        objects.stall(2_000_000);
        submit(
                "resumed",
                1,
                "inputs: [{name: data_url, from: \"s3://near/lab/resumed\"}],"
                        + " outputs: [{name: train_url, to: \"s3://near/lab/arrived\"}]",
                "cp $SLUICE_INPUT_DATA_URL/big $SLUICE_OUTPUT_TRAIN_URL/big");
        Household.eventually(() -> objects.isStalled() && arrived() > 1_900_000);
        house.kill();
        killed.countDown();
        objects.breakOff();
        parts.refuse(503, request -> false);
        long before = objects.sent();
        house.start("");
        succeeds("parts");
        assertThat(parts.received()).isEqualTo(Map.of("own-1/1", 1, "own-1/2", 1));
        assertThat(parts.finished()).containsExactly("own-1");
        assertThat(parts.aborted()).isEmpty();
        Household.eventually(() -> !house.state("resumed").equals("WAITING"));
        assertThat(objects.sent() - before).isLessThan(1_500_000);
        succeeds("resumed");
        assertThat(objects.content("arrived/big")).isEqualTo(bytes(3_000_000, 3));
    }

    private static long arrived() throws IOException {
        try (var all = Files.walk(house.data().resolve("inputs"))) {
            return all.map(Path::toFile)
                    .filter(java.io.File::isFile)
                    .mapToLong(java.io.File::length)
                    .sum();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
