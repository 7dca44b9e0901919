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

    Transfer told() {
        return new Transfer(way, name, address, state, files.get(), bytes.get(), allFiles, allBytes, message, null);
    }
}
