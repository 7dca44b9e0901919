package io.sluice.logs.follow;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Reader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The end of one log: looks for more on a thread of its own, and hands each new piece to every event loop that has followers. */
final class Tail implements Runnable {
    private static final System.Logger LOG = System.getLogger(Tail.class.getName());
    /** Read at once, and the most that a full socket holds beyond its buffer's mark. */
    private static final int PIECE = 2 * Wire.MOST;

    private static final int MANY = 100;
    private static final int BATCHES_WAITING = 2;
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration EMPTIED = Duration.ofSeconds(5);

    /** How the log ended, with everything in it. */
    record End(long size, @Nullable Integer exitCode) {}

    private record Completion(@Nullable Integer exitCode) {}

    /** The followers on one event loop, which alone touches what is in here. */
    static final class Group {
        private final EventLoop loop;
        private final Set<Follower> followers = new HashSet<>();
        private final Semaphore waiting = new Semaphore(BATCHES_WAITING);
        private long position;
        private @Nullable End end;

        Group(EventLoop loop, long position, @Nullable End end) {
            this.loop = loop;
            this.position = position;
            this.end = end;
        }

        /** How far the log goes, as this loop was told. */
        long position() {
            return position;
        }

        @Nullable
        End end() {
            return end;
        }

        private void each(Consumer<Follower> told) {
            List.copyOf(followers).forEach(told);
        }
    }

    private final long task;
    private final Reader reader;
    private final Tails tails;
    private final Map<EventLoop, Group> groups = new HashMap<>();
    private volatile @Nullable Completion completion;
    private volatile int followers;
    private boolean stopped;
    private volatile long position;
    /** Pieces that are being read for followers: as long as there are any, the file stays open. */
    private final AtomicInteger reads = new AtomicInteger();

    private final long openedAt = System.nanoTime();
    private boolean joined;
    private long shortSince;
    private @Nullable End end;
    private long timed;
    private long timedAt;
    private long grownAt = System.nanoTime();
    private int gapsTold;

    Tail(long task, Reader reader, Tails tails) throws IOException {
        this.task = task;
        this.reader = reader;
        this.tails = tails;
        this.position = reader.size();
        this.gapsTold = outages().size(); // who comes is greeted with those
    }

    long task() {
        return task;
    }

    long position() {
        return position;
    }

    Reader reader() {
        return reader;
    }

    FollowMetrics metrics() {
        return tails.metrics();
    }

    /** Nothing more is written to the log. */
    void complete(@Nullable Integer exitCode) {
        completion = new Completion(exitCode);
    }

    boolean isComplete() {
        return completion != null;
    }

    @Nullable
    Integer exitCode() {
        Completion known = completion;
        return known == null ? null : known.exitCode();
    }

    /** On the follower's event loop. The answer is whether the tail still runs. */
    synchronized boolean join(Follower follower, EventLoop loop) {
        if (stopped) {
            return false;
        }
        joined = true;
        followers++;
        Group group = groups.computeIfAbsent(loop, first -> new Group(first, position, end));
        group.followers.add(follower);
        follower.enter(group);
        loop.execute(follower::proceed);
        return true;
    }

    /** On the follower's event loop. */
    void leave(Follower follower, Group group) {
        if (group.followers.remove(follower)) {
            synchronized (this) {
                followers--;
            }
        }
    }

    /** On the one bounded worker, and back. */
    <T> void read(Callable<T> reading, Consumer<T> read, Consumer<String> failed) {
        reads.incrementAndGet();
        tails.read(reading, read, failed, reads::decrementAndGet);
    }

    @Override
    public void run() {
        try {
            while (!isDeserted() && look()) {}
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "event=log-unreadable task=" + task, e);
            handOut(group -> group.each(follower -> {
                follower.fail("The log can not be read at the moment.");
                follower.leave();
            }));
        } finally {
            stop();
        }
    }

    private boolean isDeserted() {
        if (followers > 0) {
            return false;
        }
        synchronized (this) {
            // the one for whom it was opened is on his way
            stopped = followers == 0 && (joined || System.nanoTime() - openedAt > FIRST.toNanos());
            return stopped;
        }
    }

    private void stop() {
        synchronized (this) {
            stopped = true;
        }
        tails.over(this);
        while (reads.get() > 0) {
            pause(20);
        }
        try {
            reader.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "event=log-not-closed task=" + task, e);
        }
    }

    /** One look at the file. The answer is whether more may come. */
    private boolean look() throws IOException {
        Completion over = completion; // before the size: what is there afterwards is all
        long size = reader.size();
        if (size > position) {
            grow(size);
            return true;
        }
        if (over != null && !isEmptied(size)) {
            tellGaps();
            var known = new End(size, over.exitCode());
            synchronized (this) {
                end = known; // for those on event loops that nobody is on yet
            }
            handOut(group -> {
                group.end = known;
                group.each(Follower::proceed);
            });
            while (followers > 0) {
                pause(20); // those behind read on; nothing is looked for any more
            }
            return false;
        }
        tellTime();
        pause(tails.pauseMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - grownAt), followers > MANY));
        return true;
    }

    /** The task has made its log shorter; the keeper gives what it prints from then on offsets behind all that were read. It has a while for that. */
    private boolean isEmptied(long size) {
        if (size >= position) {
            shortSince = 0;
            return false;
        }
        long now = System.nanoTime();
        shortSince = shortSince == 0 ? now : shortSince;
        return now - shortSince < EMPTIED.toNanos();
    }

    private void grow(long size) throws IOException {
        grownAt = System.nanoTime();
        long from = position;
        int length = (int) Math.min(PIECE, size - from);
        Wire.Piece piece = Wire.frames(reader, from, length);
        switch (piece) {
            case Wire.Piece.Hole hole -> grown(from, Math.min(size, hole.gap().to()), null);
            case Wire.Piece.Data data -> {
                grown(from, data.to(), data.buffer());
                data.buffer().release();
            }
        }
        if (size - from <= PIECE) {
            pause(tails.restMillis(followers > MANY)); // one frame for all that is printed in the meantime
        }
        tellTime();
    }

    private void grown(long from, long to, @Nullable ByteBuf frames) {
        metrics().read(to - from);
        handOut(to, frames, group -> {
            group.position = to;
            group.each(follower -> follower.grown(from, to, frames));
        });
    }

    /** At most once a second, after it has grown. */
    private void tellTime() throws IOException {
        long now = System.currentTimeMillis();
        if (now - timedAt < 1000) {
            return;
        }
        timedAt = now;
        tellGaps();
        if (position > timed) {
            timed = position;
            long offset = position;
            ByteBuf frame = Wire.text(Map.of("type", "time", "offset", offset, "at", now));
            handOut(offset, frame, group -> group.each(follower -> follower.time(frame, offset)));
            frame.release();
        }
    }

    /** That the disk was full is told when it is known. Holes are told to those who come to them. */
    private void tellGaps() throws IOException {
        List<Gaps.Gap> gaps = outages();
        for (Gaps.Gap gap : gaps.subList(Math.min(gapsTold, gaps.size()), gaps.size())) {
            handOut(group -> group.each(follower -> follower.tell(gap)));
        }
        gapsTold = gaps.size();
    }

    private List<Gaps.Gap> outages() throws IOException {
        return reader.gaps().stream()
                .filter(gap -> gap.reason().equals(Gaps.DISK_FULL))
                .toList();
    }

    private void handOut(Consumer<Group> told) {
        handOut(position, null, told);
    }

    /** To every loop, in order; waits for a loop that has not dealt with what it got before. */
    private void handOut(long to, @Nullable ByteBuf buffer, Consumer<Group> told) {
        for (Group group : copyOfGroups()) {
            group.waiting.acquireUninterruptibly();
        }
        synchronized (this) {
            position = to;
            for (Group group : groups.values()) {
                if (buffer != null) {
                    buffer.retain();
                }
                group.loop.execute(() -> {
                    try {
                        told.accept(group);
                    } finally {
                        group.waiting.release();
                        if (buffer != null) {
                            buffer.release();
                        }
                    }
                });
            }
        }
    }

    private synchronized Collection<Group> copyOfGroups() {
        return new ArrayList<>(groups.values());
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
