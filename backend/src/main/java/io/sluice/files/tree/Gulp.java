package io.sluice.files.tree;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Whole small files of one folder, as many at a time as fit. Each costs five calls of the kernel, and its owner's rights are taken on once for
 * all of them. It is looked at before it is opened, for whoever writes to a pipe would hear of that; and after, for it may be another by then.
 */
public final class Gulp {
    /** Names that are taken at a time. */
    public static final int MOST = 256;

    private static final int ROOM = 256 << 10;
    private static final int LARGEST = 64 << 10;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(ROOM);
    private final ByteBuffer looked =
            ByteBuffer.allocateDirect(MOST * Kernel.LOOKED).order(ByteOrder.nativeOrder());
    private final long bytesBegin = Kernel.address(bytes);
    private final long lookedBegin = Kernel.address(looked);
    private final int[] ends = new int[MOST];

    /** @return how many of them, from the first on, are in it now; what comes next is large, no file, or not to be had */
    int take(int folder, List<String> names, int owner) {
        int taken = 0;
        int end = 0;
        while (taken < MOST && taken < names.size()) {
            int file = Kernel.file(folder, names.get(taken), looked, taken * Kernel.LOOKED, lookedBegin);
            if (file < 0) {
                break;
            }
            int size = read(file, taken, end, owner);
            Kernel.close(file);
            if (size < 0) {
                break;
            }
            end += size;
            ends[taken] = end;
            taken++;
        }
        return taken;
    }

    /** No class is loaded here: whoever it is done as may not be allowed to read them. */
    private int read(int file, int at, int begin, int owner) {
        int place = at * Kernel.LOOKED;
        if (!Kernel.look(file, looked, place, lookedBegin)
                || (owner >= 0 && Kernel.links(looked, place) > 1 && Kernel.user(looked, place) != owner)) {
            return -1;
        }
        long size = Kernel.size(looked, place);
        if (size > LARGEST || size > ROOM - begin) {
            return -1;
        }
        for (int read = 0; read < size; ) {
            int count = Kernel.read(file, bytesBegin + begin + read, (int) size - read);
            if (count <= 0) {
                return -1;
            }
            read += count;
        }
        return (int) size;
    }

    public Found found(int at) {
        return Kernel.found(looked, at * Kernel.LOOKED);
    }

    /** Its bytes, at the beginning of an array, and how many there are. */
    public int copy(int at, byte[] into) {
        int begin = at == 0 ? 0 : ends[at - 1];
        bytes.get(begin, into, 0, ends[at] - begin);
        return ends[at] - begin;
    }
}
