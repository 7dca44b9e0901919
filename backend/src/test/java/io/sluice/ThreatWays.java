package io.sluice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;

/** At each of the three ways there are people beside Ann, who will not be there for long. */
abstract class ThreatWays extends ThreeWays {
    private static final List<String> ENDING = List.of("revoked", "expired", "disabled", "ended");
    private static final Map<DoorDesk, Map<String, DoorDesk.Somebody>> PEOPLE = new HashMap<>();

    @BeforeAll
    static void gather() throws Exception {
        for (Way way : ways()) {
            gather(way);
        }
    }

    /** An app of each of them. */
    private static void gather(Way way) throws Exception {
        var people = ENDING.stream().map(way.desk()::somebody).toList();
        try (var crowd = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> begun = new ArrayList<>();
            for (DoorDesk.Somebody one : people) {
                begun.add(crowd.submit(() -> {
                    one.start("evil");
                    return null;
                }));
            }
            for (Future<?> one : begun) {
                one.get();
            }
        }
        PEOPLE.put(way.desk(), people.stream().collect(Collectors.toMap(DoorDesk.Somebody::name, Function.identity())));
    }

    /** What is asked on a connection of its own, and on one on which the way is known. */
    static List<Answer> both(Way way, String bytes) throws IOException {
        var answers = new ArrayList<Answer>();
        try (Visitor visitor = way.visitor();
                Visitor known = way.known()) {
            answers.add(visitor.ask(bytes));
            answers.add(known.ask(bytes));
        }
        return answers;
    }

    static int status(Way way, boolean again, String bytes) throws IOException {
        try (Visitor visitor = again ? way.known() : way.visitor()) {
            visitor.send(bytes);
            return new Answer(DoorDesk.until(visitor.socket, "\r\n\r\n")).status();
        }
    }

    static void sql(Way way, String statement) {
        way.desk().server.database().pool().query(statement).execute().await();
    }

    static DoorDesk.Somebody somebody(Way way, String name) {
        return requireNonNull(requireNonNull(PEOPLE.get(way.desk())).get(name));
    }

    /** Three connections of somebody at their app: on two of them something goes on, on the third nothing. */
    record Visit(Way way, Visitor talks, Visitor listens, Visitor rests) implements AutoCloseable {
        static Visit of(Way way) throws IOException {
            var visit = new Visit(way, way.visitor(), way.known(), way.known());
            visit.talks.send(way.upgrade("/ws", "Origin: " + way.origin()));
            assertThat(DoorDesk.until(visit.talks.socket, "\r\n\r\n")).startsWith("HTTP/1.1 101");
            visit.listens.send(way.request("GET", "/ticks"));
            assertThat(DoorDesk.until(visit.listens.socket, "data: x")).startsWith("HTTP/1.1 200");
            return visit;
        }

        void isOver(long since, int status) throws IOException {
            DoorDesk.all(talks.socket);
            DoorDesk.all(listens.socket);
            assertThat(System.nanoTime() - since).isLessThan(5_000_000_000L);
            for (int i = 0; i < 2; i++) {
                assertThat(rests.ask(way.request("GET", "/echo", "X-Case: over"))
                                .status())
                        .isEqualTo(status);
            }
            assertThat(way.heard()).doesNotContain("X-Case: over");
        }

        @Override
        public void close() throws IOException {
            talks.close();
            listens.close();
            rests.close();
        }
    }

    static List<String> sorted(Answer answer) {
        return Stream.of(answer.head().split("\r\n"))
                .map(line -> line.contains(": ")
                        ? line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT)
                                + line.substring(line.indexOf(':'))
                        : line)
                .sorted()
                .toList();
    }

    static String[] append(String[] lines, String more) {
        return Stream.concat(Stream.of(lines), Stream.of(more)).toArray(String[]::new);
    }
}
