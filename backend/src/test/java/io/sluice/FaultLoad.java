package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is asked of a gateway that is being killed, what it has acknowledged, and what must have become of that. Nothing of it fails by itself,
 * so nothing but what gives way may be tried again: a task that lives and is taken for lost shows as a retry.
 */
final class FaultLoad {
    /** One line per start in the user's folder, appended by the operating system: nothing that is stored can hide a second start. */
    static final String MARK =
            "echo \"$SLUICE_JOB_NAME $FC_FRAMEWORK_ATTEMPT_ID $FC_TASK_ATTEMPT_ID $FC_TASK_INDEX\" >> /userhome/starts";

    static final Map<String, String> DEVICES = Map.of("SLUICE_SIMULATE_DEVICES", "2xH100");
    /** So many jobs wait or run at most: what a machine can not do within the patience is no lost job. */
    private static final int UNDER_WAY = 30;

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MOST_ROOMS = 60;
    private static final long ROOM_NANOS = 1_000_000_000L;

    /** In seconds; nothing else on the machine sleeps for so long, nor another JVM that has the same load on other engines. */
    private static final String FOR_EVER =
            Long.toString(80_000_000 + ProcessHandle.current().pid());

    private static final int GAVE_WAY = -1003;
    /** Nothing of it began: another program on this machine, which is not ours, listened on a port that it was to have. */
    private static final int PORT_TAKEN = 253;

    private static final String NOT_AGAIN = "extras: {hivedScheduler: {jobPriorityClass: prod}}";

    /** What a job does, on how many devices each of its tasks, and how it is to end. */
    private enum Kind {
        ENDS(1, 0, "sleep 0.2", "", "SUCCEEDED"),
        FAILS(1, 0, "sleep 0.2; exit 3", "", "FAILED"),
        GANG(2, 0, "sleep 0.3", "", "SUCCEEDED"),
        STOPPED(1, 0, "sleep " + FOR_EVER, "", "STOPPED"),
        GIVES_WAY(
                1,
                2,
                "[ $FC_FRAMEWORK_ATTEMPT_ID -gt 0 ] || sleep " + FOR_EVER,
                "extras: {sluice: {preemptible: true}, hivedScheduler: {jobPriorityClass: oppo}}",
                "SUCCEEDED"),
        URGENT(1, 1, "sleep 0.2", NOT_AGAIN, "SUCCEEDED");

        private static final List<Kind> TURNS =
                List.of(GIVES_WAY, ENDS, GANG, URGENT, STOPPED, FAILS, ENDS, STOPPED, GANG, FAILS);

        private final int tasks;
        private final int devices;
        private final String command;
        private final String extras;
        private final String end;

        Kind(int tasks, int devices, String command, String extras, String end) {
            this.tasks = tasks;
            this.devices = devices;
            this.command = command;
            this.extras = extras;
            this.end = end;
        }

        static Kind of(int number) {
            return TURNS.get(number % TURNS.size());
        }

        String text(String name, String image) {
            return """
                    protocolVersion: 2
                    name: %s
                    type: job
                    prerequisites: [{name: image, type: dockerimage, uri: "%s"}]
                    taskRoles:
                      main:
                        instances: %d
                        dockerImage: image
                        resourcePerInstance: {cpu: 0, memoryMB: 64, gpu: %d}
                        commands:
                          - |-
                            %s; %s
                    %s
                    """.formatted(name, image, tasks, devices, MARK, command, extras);
        }
    }

    private final Household house;
    private final Map<String, Kind> asked = new ConcurrentHashMap<>();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    /** Jobs whose stop was acknowledged; true: it had started before. */
    private final Map<String, Boolean> stopped = new ConcurrentHashMap<>();

    private final Thread submitting;
    private final Thread stopping;
    private volatile boolean over;

    FaultLoad(Household house) {
        this.house = house;
        this.submitting = Thread.ofVirtual().unstarted(this::submit);
        this.stopping = Thread.ofVirtual().unstarted(this::stop);
        submitting.start();
        stopping.start();
    }

    /** Records what it asked for, and what came of it; a job whose fate is unknown is asked for again under its key. */
    private void submit() {
        for (int number = 0; !over; number++) {
            while (underWay() > UNDER_WAY && !over) {
                LockSupport.parkNanos(20_000_000);
            }
            submit("job" + number, Kind.of(number));
        }
    }

    /** Also when no more is asked for: what a killed gateway has stored without an answer runs, and nobody would stop it. */
    private void submit(String name, Kind kind) {
        asked.put(name, kind);
        for (long end = System.nanoTime() + PATIENCE.toNanos();
                !acknowledged.contains(name) && System.nanoTime() < end; ) {
            try {
                var answer = house.submitText(kind.text(name, house.image()), name);
                if (answer.statusCode() == 202) {
                    acknowledged.add(name);
                }
            } catch (IOException unknown) {
                LockSupport.parkNanos(100_000_000);
            }
        }
    }

    private long underWay() {
        var started = lines().stream().map(FaultLoad::job).collect(Collectors.toSet());
        return acknowledged.stream()
                .filter(name -> !started.contains(name) && !stopped.containsKey(name))
                .count();
    }

    /** Every second one as soon as it is acknowledged, the others when they run; until that is acknowledged too. */
    private void stop() {
        while (submitting.isAlive() || !toStop().isEmpty()) {
            for (String name : toStop()) {
                boolean runs = !of(name).isEmpty();
                if (!runs && name.hashCode() % 2 == 0) {
                    continue;
                }
                try {
                    if (house.stop(name).statusCode() == 202) {
                        stopped.put(name, runs);
                    }
                } catch (IOException unknown) {
                    // asked again
                }
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    private List<String> toStop() {
        return acknowledged.stream()
                .filter(name -> asked.get(name) == Kind.STOPPED && !stopped.containsKey(name))
                .toList();
    }

    /** No more is asked for; the gateway stays alive from here on. */
    int end() throws InterruptedException {
        over = true;
        submitting.join();
        stopping.join();
        return acknowledged.size();
    }

    /** Nothing that was acknowledged is lost, nothing was started twice, and every end is the true one. */
    void hold() throws Exception {
        makeRoom();
        for (String job : acknowledged) {
            house.ends(PATIENCE, job);
            assertThat(house.state(job)).as(job).isEqualTo(kind(job).end);
        }
        assertThat(lines()).as("no task's attempt was started twice").doesNotHaveDuplicates();
        assertThat(asked.keySet())
                .containsAll(lines().stream().map(FaultLoad::job).toList());
        for (String job : acknowledged) {
            if (kind(job) == Kind.GIVES_WAY) {
                gaveWay(job);
            } else {
                once(job);
            }
        }
        // the container of a start that was cut short is told as never begun a moment before it is taken away
        Household.eventually(SOON, () -> sleepers().isEmpty(), () -> "what was stopped has ended: " + sleepers());
    }

    private Kind kind(String job) {
        return Objects.requireNonNull(asked.get(job));
    }

    /** What waits for its chance to give way gets one, when it runs: more asked for before would only keep it waiting. */
    private void makeRoom() throws Exception {
        for (int number = 0; stillToGiveWay().findAny().isPresent(); number++) {
            assertThat(number).as("rooms that were made in vain").isLessThan(MOST_ROOMS);
            Household.eventually(
                    PATIENCE,
                    () -> stillToGiveWay().findAny().isEmpty()
                            || stillToGiveWay().anyMatch(job -> !of(job).isEmpty()),
                    () -> stillToGiveWay().map(this::trace).collect(Collectors.joining("\n")));
            String name = "room" + number;
            asked.put(name, Kind.URGENT);
            assertThat(house.submitText(Kind.URGENT.text(name, house.image()), name)
                            .statusCode())
                    .isEqualTo(202);
            acknowledged.add(name);
            house.ends(PATIENCE, name);
            // what gave way comes back when it has its devices again
            LockSupport.parkNanos(ROOM_NANOS);
        }
    }

    private Stream<String> stillToGiveWay() {
        return acknowledged.stream().filter(this::isStillToGiveWay);
    }

    private boolean isStillToGiveWay(String job) {
        return kind(job) == Kind.GIVES_WAY && of(job).stream().noneMatch(line -> attempt(line) > 0);
    }

    private void once(String job) throws Exception {
        int retries = status(job, "").path("retries").asInt();
        for (int attempt = 0; attempt < retries; attempt++) {
            assertThat(code(job, attempt))
                    .as(() -> "nothing was wrong with " + job + ": " + trace(job))
                    .isEqualTo(PORT_TAKEN);
        }
        var expected = IntStream.range(0, kind(job).tasks)
                .mapToObj(index -> job + " " + retries + " 0 " + index)
                .toList();
        if (kind(job) != Kind.STOPPED || stopped.getOrDefault(job, false)) {
            assertThat(of(job)).as(() -> job + ": " + trace(job)).containsExactlyInAnyOrderElementsOf(expected);
        } else {
            assertThat(expected)
                    .as(job + " was stopped, perhaps before it began")
                    .containsAll(of(job));
        }
    }

    private void gaveWay(String job) throws Exception {
        int retries = status(job, "").path("retries").asInt();
        List<Integer> codes = new ArrayList<>();
        for (int attempt = 0; attempt < retries; attempt++) {
            codes.add(code(job, attempt));
        }
        assertThat(codes)
                .as(() -> job + " was only ever made to give way: " + trace(job))
                .contains(GAVE_WAY)
                .allMatch(code -> code == GAVE_WAY || code == PORT_TAKEN);
        assertThat(of(job)).as(job).contains(job + " " + retries + " 0 0").allMatch(line -> attempt(line) <= retries);
    }

    private int code(String job, int attempt) throws IOException {
        return status(job, "/attempts/" + attempt).path("appExitCode").asInt();
    }

    private JsonNode status(String job, String more) throws IOException {
        return house.get("/api/v2/jobs/admin~" + job + more).path("jobStatus");
    }

    private String trace(String job) {
        try {
            return JobTrace.of(house, job);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private List<String> sleepers() throws IOException {
        List<String> found = new ArrayList<>();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path each : all) {
                try {
                    String words = Files.readString(each.resolve("cmdline")).replace('\0', ' ');
                    if (words.strip().equals("sleep " + FOR_EVER)) {
                        found.add(each + " " + words);
                    }
                } catch (IOException gone) {
                    // it has ended
                }
            }
        }
        return found;
    }

    private List<String> of(String job) {
        return lines().stream().filter(line -> job(line).equals(job)).toList();
    }

    private static String job(String line) {
        return line.split(" ")[0];
    }

    private static int attempt(String line) {
        return Integer.parseInt(line.split(" ")[1]);
    }

    private List<String> lines() {
        Path file = house.home().resolve("starts");
        try (Stream<String> all = Files.exists(file) ? Files.lines(file) : Stream.empty()) {
            return all.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
