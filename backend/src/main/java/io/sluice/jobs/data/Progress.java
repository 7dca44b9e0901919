package io.sluice.jobs.data;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** How far an input or output is, for whoever looks while others work on it. */
final class Progress {
    final Transfer.Way way;
    final String name;
    final String address;
    final AtomicLong files = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
    volatile Transfer.State state = Transfer.State.WAITING;
    volatile @Nullable Long allFiles;
    volatile @Nullable Long allBytes;
    volatile @Nullable String message;

    Progress(Transfer.Way way, String name, String address) {
        this.way = way;
        this.name = name;
        this.address = address;
    }

    /** How much still has to come, as far as that is known. */
    long left() {
        Long whole = allBytes;
        return whole == null ? 0 : Math.max(0, whole - bytes.get());
    }

    /** For whoever waits; null: nothing is known yet. */
    @Nullable
    String far() {
        Long whole = allBytes;
        String has = amount(bytes.get());
        return whole != null ? has + " / " + amount(whole) : bytes.get() > 0 ? has : null;
    }

    private static String amount(long bytes) {
        return bytes < 10 << 20
                ? bytes / 1_000 + " kB"
                : bytes < 10L << 30 ? bytes / 1_000_000 + " MB" : bytes / 1_000_000_000 + " GB";
    }

    Transfer told() {
        return new Transfer(way, name, address, state, files.get(), bytes.get(), allFiles, allBytes, message, null);
    }
}
