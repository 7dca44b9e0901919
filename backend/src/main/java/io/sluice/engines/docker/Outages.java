package io.sluice.engines.docker;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * When the engine was stopped, or was killed: what ended then may have been ended with it, whatever code it gave. Kept in a file, with when
 * the engine was last heard of: it may have been stopped while no gateway was there either.
 */
final class Outages {

    private static final Logger log = System.getLogger(Outages.class.getName());

    /** An engine that is stopped answers no more from the beginning, and it may take some seconds until that is noticed. */
    private static final Duration BEFORE = Duration.ofSeconds(20);

    /** What an engine ends, it ends while it stops, or while it begins again. */
    private static final Duration ENDING = Duration.ofSeconds(20);

    private static final Duration AFTER = Duration.ofSeconds(5);
    private static final int KEPT = 100;

    private final Path file;
    private final Path heard;
    private final Function<Instant, Answer> engine;
    private final List<Span> spans = new ArrayList<>();
    private final ReentrantLock settling = new ReentrantLock();
    private volatile @Nullable Doubt doubt;

    /** What the engine can tell of it when it answers again. */
    enum Answer {
        /** It is the same that it was: it only was not heard. */
        SAME,
        /** It was ended, and tasks were not. */
        TASKS_WENT_ON,
        /** It was ended. */
        BEGAN_ANEW
    }

    /** @param watched whether a gateway was there, which knows when it began */
    private record Doubt(Instant since, boolean watched) {}

    private record Span(Instant from, Instant to, boolean watched, boolean live) {

        private boolean has(boolean byForce, Instant started, Instant ended) {
            if (!started.isBefore(to) || !isBetween(ended, from.minus(BEFORE), to.plus(AFTER))) {
                return false;
            }
            // in between an engine that is not there can not have ended anything
            return byForce
                    || (!live
                            && (!watched
                                    || isBetween(ended, from.minus(BEFORE), from.plus(ENDING))
                                    || isBetween(ended, to.minus(ENDING), to.plus(AFTER))));
        }

        private static boolean isBetween(Instant moment, Instant first, Instant last) {
            return !moment.isBefore(first) && !moment.isAfter(last);
        }

        private String text() {
            return from.toEpochMilli() + " " + to.toEpochMilli() + " " + watched + " " + live;
        }

        private static Span of(String line) {
            var words = line.split(" ");
            return new Span(
                    Instant.ofEpochMilli(Long.parseLong(words[0])),
                    Instant.ofEpochMilli(Long.parseLong(words[1])),
                    Boolean.parseBoolean(words[2]),
                    Boolean.parseBoolean(words[3]));
        }
    }

    /** @param engine says whether it has begun anew since then */
    Outages(Path folder, Function<Instant, Answer> engine) throws IOException {
        this.file = folder.resolve("outages");
        this.heard = folder.resolve("heard");
        this.engine = engine;
        if (Files.exists(file)) {
            Files.readAllLines(file).stream().map(Span::of).forEach(spans::add);
        }
        if (Files.exists(heard)) {
            doubt = new Doubt(Files.getLastModifiedTime(heard).toInstant(), false);
        }
    }

    /** It is not heard any more. */
    void began(Instant at) {
        settling.lock();
        try {
            if (doubt == null) {
                doubt = new Doubt(at, true);
            }
        } finally {
            settling.unlock();
        }
    }

    /** It answers. */
    void heard() throws IOException {
        settle();
        if (!Files.exists(heard)) {
            Files.createFile(heard);
        }
        Files.setLastModifiedTime(heard, FileTime.from(Instant.now()));
    }

    /** Whether what ended then may have been ended with the engine. */
    boolean have(boolean byForce, Instant started, Instant ended) throws IOException {
        settle();
        settling.lock();
        try {
            return spans.stream().anyMatch(span -> span.has(byForce, started, ended));
        } finally {
            settling.unlock();
        }
    }

    private void settle() throws IOException {
        if (doubt == null) {
            return;
        }
        settling.lock();
        try {
            var open = doubt;
            if (open == null) {
                return;
            }
            var answer = engine.apply(open.since());
            if (answer != Answer.SAME) {
                log.log(Level.INFO, "engine=restarted since={0} {1}", open.since(), answer);
                keep(new Span(open.since(), Instant.now(), open.watched(), answer == Answer.TASKS_WENT_ON));
            }
            doubt = null;
        } finally {
            settling.unlock();
        }
    }

    private void keep(Span span) throws IOException {
        spans.add(span);
        if (spans.size() > KEPT) {
            spans.removeFirst();
        }
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.write(draft, spans.stream().map(Span::text).toList());
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
