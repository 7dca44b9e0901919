package io.sluice.logs.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which bytes of a log are gone, and why. A line of JSON each, in the order in which they were found. */
public final class Gaps {
    public static final String SIZE_LIMIT = "size_limit";
    public static final String DISK_FULL = "disk_full";
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

        /** What stands in its place where a log is only text. */
        public String asText() {
            return isHole()
                    ? "\n[sluice: bytes " + from + " to " + to
                            + " of this log are gone: it was larger than a log may be]\n"
                    : "\n[sluice: the disk was full from " + Instant.ofEpochMilli(at)
                            + (until == null ? "" : " to " + Instant.ofEpochMilli(until))
                            + "; what was printed then may be missing here]\n";
        }

        Gap with(Gap next) {
            return new Gap(from, Math.max(to, next.to), reason, at, until);
        }
    }

    private final Path file;

    Gaps(Path file) {
        this.file = file;
    }

    /** By offset; holes that touch are one. */
    public List<Gap> all() throws IOException {
        List<Gap> merged = new ArrayList<>();
        for (Gap gap : read()) {
            Gap last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && last.isHole() && gap.isHole() && gap.from() <= last.to()) {
                merged.set(merged.size() - 1, last.with(gap));
            } else {
                merged.add(gap);
            }
        }
        return merged;
    }

    private List<Gap> read() throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.flatMap(line -> parsed(line).stream())
                    .sorted(Comparator.comparingLong(Gap::from).thenComparingLong(Gap::to))
                    .toList();
        } catch (NoSuchFileException none) {
            return List.of();
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

    /** On the disk when it returns. */
    public void add(Gap gap) throws IOException {
        try (var out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            // a line of its own, also after one that was cut off
            ByteBuffer line =
                    ByteBuffer.wrap(("\n" + JSON.writeValueAsString(gap) + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                out.write(line);
            }
            out.force(true);
        }
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

    /** The first hole that ends behind the offset; null: none. */
    public static @Nullable Gap next(List<Gap> gaps, long offset) {
        return gaps.stream()
                .filter(gap -> gap.isHole() && gap.to() > offset)
                .findFirst()
                .orElse(null);
    }
}
