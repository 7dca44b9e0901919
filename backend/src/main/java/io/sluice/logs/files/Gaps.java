package io.sluice.logs.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which bytes of a log are gone, and why. A line of JSON each, in the order in which they were found. */
public final class Gaps {
    public static final String SIZE_LIMIT = "size_limit";
    public static final String DISK_FULL = "disk_full";
    /** By the task itself: it has set its output to no bytes, and went on. */
    public static final String EMPTIED = "emptied";

    /** Beyond which those that are one by now become one line. */
    private static final int MOST_LINES = 32;

    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * @param to equals {@code from} where unknown bytes may be missing
     * @param at when, in milliseconds since 1970, and {@code until} when it ended, where it had a length
     */
    public record Gap(
            long from,
            long to,
            String reason,
            long at,
            @Nullable Long until) {
        boolean isHole() {
            return to > from;
        }

        /** Why they are gone, as the end of a sentence. */
        public String why() {
            return reason.equals(EMPTIED)
                    ? "the task emptied its output at " + Instant.ofEpochMilli(at)
                    : "it was larger than a log may be";
        }

        /** What stands in its place where a log is only text. */
        public String asText() {
            return isHole()
                    ? "\n[sluice: bytes " + from + " to " + to + " of this log are gone: " + why() + "]\n"
                    : "\n[sluice: the disk was full from " + Instant.ofEpochMilli(at)
                            + (until == null ? "" : " to " + Instant.ofEpochMilli(until))
                            + "; what was printed then may be missing here]\n";
        }

        Gap with(Gap next) {
            return new Gap(from, Math.max(to, next.to), reason, at, until);
        }
    }

    /** What stood in the file as it was then. */
    private record Known(@Nullable Object file, long size, FileTime time, List<Gap> gaps) {
        boolean is(BasicFileAttributes now) {
            return size == now.size() && time.equals(now.lastModifiedTime()) && Objects.equals(file, now.fileKey());
        }
    }

    private final Path file;
    private volatile @Nullable Known known;

    Gaps(Path file) {
        this.file = file;
    }

    /** By offset; holes that touch are one. Read anew only where the file has changed. */
    public List<Gap> all() throws IOException {
        try {
            var now = Files.readAttributes(file, BasicFileAttributes.class);
            Known last = known;
            if (last == null || !last.is(now)) {
                last = new Known(now.fileKey(), now.size(), now.lastModifiedTime(), merged(lines()));
                known = last;
            }
            return last.gaps();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static List<Gap> merged(List<Gap> gaps) {
        List<Gap> merged = new ArrayList<>();
        for (Gap gap : gaps) {
            Gap last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && last.isHole() && gap.isHole() && gap.from() <= last.to()) {
                merged.set(merged.size() - 1, last.with(gap));
            } else {
                merged.add(gap);
            }
        }
        return List.copyOf(merged);
    }

    private List<Gap> lines() throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.flatMap(line -> parsed(line).stream())
                    .sorted(Comparator.comparingLong(Gap::from).thenComparingLong(Gap::to))
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Empty for a line that was cut off: its gateway died in the middle of it, and nothing had gone yet. */
    private static Optional<Gap> parsed(String line) {
        try {
            return line.isEmpty() ? Optional.empty() : Optional.of(JSON.readValue(line, Gap.class));
        } catch (JsonProcessingException cutOff) {
            return Optional.empty();
        }
    }

    /** On the disk when it returns. Only one thread adds. */
    public void add(Gap gap) throws IOException {
        try (var out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            // a line of its own, also after one that was cut off
            write(out, "\n" + JSON.writeValueAsString(gap) + "\n");
        }
        List<Gap> lines = lines();
        List<Gap> merged = merged(lines);
        if (lines.size() > MOST_LINES + 2 * merged.size()) {
            replace(merged);
        }
    }

    /** A hole begins later than was written down. */
    void begins(Gap hole, long from) throws IOException {
        replace(all().stream()
                .map(gap -> gap.from() == hole.from() && gap.to() == hole.to()
                        ? new Gap(from, gap.to(), gap.reason(), gap.at(), gap.until())
                        : gap)
                .toList());
    }

    /** Broken off anywhere, what was there is there. */
    private void replace(List<Gap> gaps) throws IOException {
        Path part = LogFile.part(file);
        var text = new StringBuilder();
        for (Gap gap : gaps) {
            text.append(JSON.writeValueAsString(gap)).append('\n');
        }
        try (var out = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            write(out, text.toString());
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        LogFile.sync(file.toAbsolutePath().getParent());
    }

    private static void write(FileChannel out, String text) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
        out.force(true);
    }

    /** How many bytes they took. */
    public static long gone(List<Gap> gaps) {
        return gaps.stream().mapToLong(gap -> gap.to() - gap.from()).sum();
    }

    /** Where the last hole before the offset ends; 0: there is none. */
    public static long endBefore(List<Gap> gaps, long offset) {
        return gaps.stream()
                .filter(gap -> gap.isHole() && gap.to() <= offset)
                .mapToLong(Gap::to)
                .max()
                .orElse(0);
    }

    /** Whether all of these bytes are gone. */
    static boolean isGone(List<Gap> gaps, long from, long to) {
        Gap hole = next(gaps, from);
        return hole != null && hole.from() <= from && hole.to() >= to;
    }

    /** The first hole that ends behind the offset; null: none. */
    public static @Nullable Gap next(List<Gap> gaps, long offset) {
        return gaps.stream()
                .filter(gap -> gap.isHole() && gap.to() > offset)
                .findFirst()
                .orElse(null);
    }
}
