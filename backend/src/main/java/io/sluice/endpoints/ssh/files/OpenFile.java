package io.sluice.endpoints.ssh.files;

import java.io.IOException;
import java.util.Arrays;

/**
 * A file that a client has open, on a descriptor of the shell in the task. It is read and written in large pieces; what a write could not
 * bring to the disk is told by the next write, or by the close.
 */
final class OpenFile {
    private static final int PIECE = 512 << 10;
    private static final long MEGABYTE = 1 << 20;

    private final Hand hand;
    private final int descriptor;
    private final boolean writable;
    private final boolean appends;
    /** Where the descriptor stands. */
    private long stands;

    private byte[] ahead = {};
    private long aheadFrom;
    private final byte[] kept;
    private long keptFrom;
    private int keptCount;

    /** @param appends whatever the client says about where, it comes to the end */
    OpenFile(Hand hand, int descriptor, boolean writable, boolean appends) {
        this.hand = hand;
        this.descriptor = descriptor;
        this.writable = writable;
        this.appends = appends;
        this.kept = writable ? new byte[PIECE] : new byte[0];
    }

    int descriptor() {
        return descriptor;
    }

    /** As a path for programs that the shell starts, to which the descriptor is handed on. */
    String path() {
        return "/proc/self/fd/" + descriptor;
    }

    /** Less than asked for at the end of the file only. */
    byte[] read(long from, int count) throws IOException, InterruptedException, Fault {
        flush();
        var bytes = new byte[count];
        int have = 0;
        while (have < count) {
            long at = from + have;
            if (at < aheadFrom || at >= aheadFrom + ahead.length) {
                look(at);
                if (ahead.length == 0) {
                    break;
                }
            }
            int begin = (int) (at - aheadFrom);
            int part = Math.min(count - have, ahead.length - begin);
            System.arraycopy(ahead, begin, bytes, have, part);
            have += part;
        }
        return have == count ? bytes : Arrays.copyOf(bytes, have);
    }

    private void look(long from) throws IOException, InterruptedException, Fault {
        seek(from);
        ahead = hand.run("dd bs=" + PIECE + " count=1 <&" + descriptor + " 2>/dev/null")
                .orFault();
        aheadFrom = from;
        stands += ahead.length;
    }

    void write(long to, byte[] bytes) throws IOException, InterruptedException, Fault {
        if (!writable) {
            throw new Fault(Fault.PERMISSION_DENIED, "It is open for reading.");
        }
        ahead = new byte[0];
        if (keptCount > 0 && (to != keptFrom + keptCount || keptCount + bytes.length > PIECE)) {
            flush();
        }
        if (keptCount == 0) {
            keptFrom = to;
        }
        System.arraycopy(bytes, 0, kept, keptCount, bytes.length);
        keptCount += bytes.length;
    }

    void flush() throws IOException, InterruptedException, Fault {
        if (keptCount == 0) {
            return;
        }
        int count = keptCount;
        keptCount = 0;
        if (!appends) {
            seek(keptFrom);
        }
        stands = -1;
        // what has been read whole and not written is told; what may not have been read would be taken for lines, so
        // there are no more
        hand.run(
                        "e=$(dd ibs=" + count + " count=1 obs=" + MEGABYTE + " iflag=fullblock 2>&1 >&" + descriptor
                                + ") || case $e in *[Ww]rit*) no \"${e%%\"$n\"*}\";; *) exit 1;; esac",
                        kept,
                        count)
                .orFault();
        stands = keptFrom + count;
    }

    private void seek(long to) throws IOException, InterruptedException, Fault {
        if (stands == to) {
            return;
        }
        stands = -1;
        String move = writable ? " >&" + descriptor + " seek=" : " <&" + descriptor + " skip=";
        String again = "command exec " + descriptor + (writable ? "<>" : "<") + path();
        hand.run(again + " && dd bs=" + MEGABYTE + " count=0" + move + to / MEGABYTE + " 2>/dev/null && dd bs=1 count=0"
                        + move + to % MEGABYTE + " 2>/dev/null || :")
                .orFault();
        stands = to;
    }

    void close() throws IOException, InterruptedException, Fault {
        try {
            flush();
        } finally {
            hand.run("command exec " + descriptor + "<&-");
        }
    }
}
