package io.sluice.logs.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * A finished log as gzip members of {@link #BLOCK} bytes of log each. Beside it a file of longs: where each member begins, where the last one
 * ends, and the size of the log. A member of no bytes stands for a block that is gone, and reads as zeros.
 */
final class PackedBytes implements Bytes {
    static final int BLOCK = 256 << 10;
    static final int HEADER = 10;
    static final int TRAILER = 8;

    private final FileChannel packed;
    private final FileChannel blocks;
    private final long size;
    private final byte[] inflated = new byte[BLOCK];
    private long present = -1;

    private PackedBytes(FileChannel packed, FileChannel blocks, long size) {
        this.packed = packed;
        this.blocks = blocks;
        this.size = size;
    }

    static PackedBytes open(Path packed, Path blocks) throws IOException {
        FileChannel members = FileChannel.open(packed);
        try {
            FileChannel index = FileChannel.open(blocks);
            long size = bytes(index, index.size() - Long.BYTES, Long.BYTES).getLong();
            if (index.size() != ((size + BLOCK - 1) / BLOCK + 2) * Long.BYTES) {
                index.close();
                throw new IOException("The index " + blocks + " does not fit a log of " + size + " bytes.");
            }
            return new PackedBytes(members, index, size);
        } catch (IOException e) {
            members.close();
            throw e;
        }
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public synchronized int read(long offset, ByteBuffer into) throws IOException {
        if (offset >= size || !into.hasRemaining()) {
            return 0;
        }
        long block = offset / BLOCK;
        if (block != present) {
            present = -1;
            inflate(block);
            present = block;
        }
        int at = (int) (offset % BLOCK);
        int count = Math.min(into.remaining(), length(block) - at);
        into.put(inflated, at, count);
        return count;
    }

    /** Whether the block that begins here is gone. */
    boolean isHole(long offset) throws IOException {
        ByteBuffer places = places(offset / BLOCK);
        long begin = places.getLong();
        return begin == places.getLong();
    }

    private ByteBuffer places(long block) throws IOException {
        return bytes(blocks, block * Long.BYTES, 2 * Long.BYTES);
    }

    private int length(long block) {
        return (int) Math.min(BLOCK, size - block * BLOCK);
    }

    private void inflate(long block) throws IOException {
        ByteBuffer places = places(block);
        long begin = places.getLong();
        int packedLength = Math.toIntExact(places.getLong() - begin);
        int length = length(block);
        if (packedLength == 0) {
            Arrays.fill(inflated, 0, length, (byte) 0);
            return;
        }
        ByteBuffer member = bytes(packed, begin, packedLength);
        int count = 0;
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(member.slice(HEADER, member.limit() - HEADER));
            int more = 1;
            while (count < length && more > 0) {
                more = inflater.inflate(inflated, count, length - count);
                count += more;
            }
        } catch (DataFormatException e) {
            throw new IOException("The compressed log is damaged at offset " + block * BLOCK + ".", e);
        } finally {
            inflater.end();
        }
        var sum = new CRC32();
        sum.update(inflated, 0, count);
        if (count != length || Integer.reverseBytes(member.getInt(member.limit() - TRAILER)) != (int) sum.getValue()) {
            throw new IOException("The compressed log is damaged at offset " + block * BLOCK + ".");
        }
    }

    private static ByteBuffer bytes(FileChannel channel, long position, int count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(count);
        while (buffer.hasRemaining()) {
            if (position < 0 || channel.read(buffer, position + buffer.position()) < 0) {
                throw new IOException("A compressed log, or its index, ends too early.");
            }
        }
        return buffer.flip();
    }

    @Override
    public void close() throws IOException {
        try (blocks) {
            packed.close();
        }
    }
}
