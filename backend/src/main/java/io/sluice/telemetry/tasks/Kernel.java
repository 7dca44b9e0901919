package io.sluice.telemetry.tasks;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * In what the kernel counts: machines with NPUs often have pages of 64 KiB.
 *
 * @param page bytes of a page of memory
 * @param ticks of processor time in a second
 */
record Kernel(long page, long ticks) {
    private static final long PAGE = 6;
    private static final long TICKS = 17;
    private static final Kernel USUAL = new Kernel(4096, 100);

    /** @param facts pairs of words, which the kernel gives each process at its start */
    static Kernel of(byte[] facts) {
        var words = ByteBuffer.wrap(facts).order(ByteOrder.nativeOrder()).asLongBuffer();
        long page = USUAL.page();
        long ticks = USUAL.ticks();
        while (words.remaining() >= 2) {
            long name = words.get();
            long value = words.get();
            page = name == PAGE && value > 0 ? value : page;
            ticks = name == TICKS && value > 0 ? value : ticks;
        }
        return new Kernel(page, ticks);
    }
}
