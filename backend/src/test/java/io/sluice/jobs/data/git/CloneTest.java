package io.sluice.jobs.data.git;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.tree.Place;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Pace;
import io.sluice.jobs.data.web.Authorities;
import io.sluice.jobs.data.web.Hosts;
import io.sluice.jobs.data.web.Limits;
import io.sluice.jobs.data.web.Source;
import io.sluice.jobs.data.web.WebLine;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a repository that comes is left off, and for whom it waits. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloneTest {
    private static final Pace PACE = new Pace(1, Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(1));

    private final Vertx vertx = Vertx.vertx();
    private final Care care = new Care(PACE, () -> {});
    private final List<Source> open = new ArrayList<>();
    private Path folder;
    private GitServer git;

    @BeforeEach
    void begin(@TempDir Path folder) throws Exception {
        this.folder = folder;
        git = new GitServer(folder);
        byte[] noise = new byte[300_000];
        new Random(1).nextBytes(noise);
        Files.write(git.tree.resolve("noise.bin"), noise);
        git.commit();
    }

    @AfterEach
    void end() throws IOException {
        for (Source source : open) {
            source.close();
        }
        git.close();
        vertx.close().await();
    }

    private Repositories repositories(Duration time, IntConsumer waiting) {
        var hosts = new Hosts(Set.of("localhost:" + git.port()));
        var limits = new Limits(1L << 40, time);
        return new Repositories(
                new WebLine(new WebLine.Settings(hosts, limits, Authorities.USUAL)), Repositories.MOST_FILES, waiting);
    }

    private Source source(Repositories repositories, LongConsumer came) throws IOException {
        Path scratch = folder.resolve("scratch" + open.size());
        Source source = repositories.source(git.address("/x.git"), scratch, (bytes, left) -> true, care, came);
        open.add(source);
        return source;
    }

    @Test
    void what_nobody_wants_any_more_is_left_off_while_it_comes() throws IOException {
        var heard = new AtomicInteger();
        Source source = source(repositories(Duration.ofHours(1), more -> {}), came -> {
            heard.incrementAndGet();
            care.leaveOff();
        });
        assertThatThrownBy(source::count).isInstanceOf(Care.LeftOff.class);
        assertThat(heard).hasValue(1);
    }

    @Test
    void time_that_is_over_while_it_is_unpacked_is_told_as_that() throws IOException {
        var time = Duration.ofSeconds(1);
        var end = System.nanoTime() + time.toNanos() * 11 / 10;
        Source source = source(
                repositories(time, more -> {
                    while (more < 0 && System.nanoTime() < end) {
                        LockSupport.parkNanos(end - System.nanoTime());
                    }
                }),
                came -> {});
        assertThatThrownBy(source::count).hasMessageContaining("--data-minutes");
    }

    @Test
    void a_file_that_takes_memory_is_read_after_anothers() throws Exception {
        var waiting = new AtomicInteger();
        Repositories repositories = repositories(Duration.ofHours(1), waiting::addAndGet);
        Source first = source(repositories, came -> {});
        Source second = source(repositories, came -> {});
        first.count();
        second.count();
        var taken = new AtomicInteger();
        var other = new CompletableFuture<Void>();
        first.each(new Heard(() -> {
            Thread.ofPlatform().start(() -> {
                try {
                    second.each(new Heard(taken::incrementAndGet));
                    other.complete(null);
                } catch (IOException e) {
                    other.completeExceptionally(e);
                }
            });
            while (waiting.get() == 0 && !other.isDone()) {
                Thread.onSpinWait();
            }
            assertThat(taken).hasValue(0);
        }));
        other.get();
        assertThat(taken).hasValue(1);
        assertThat(waiting).hasValue(0);
    }

    /** Hears of files only. */
    private record Heard(Runnable heard) implements Source.Taker {
        @Override
        public void file(Place place, String version, long size, Instant changed, Source.Opening opening) {
            heard.run();
        }

        @Override
        public void permit(Place place) {}

        @Override
        public void folder(Place place) {}

        @Override
        public void link(Place place, String leads) {}
    }
}
