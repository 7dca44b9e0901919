package io.sluice.files.packing;

import io.sluice.files.tree.Found;
import io.sluice.files.tree.Place;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** As GNU tar writes it: names of any bytes and any length, and files of any size. */
final class Tar implements Packing.Format {
    private static final int BLOCK = 512;
    private static final int NAME = 100;
    private static final int ZEROS = 64 << 10;
    private static final long MOST_OCTAL = 1L << 33;

    private final OutputStream out;
    /** Of the file that is being written: it has been promised, whatever becomes of the file. */
    private long left;

    private long written;

    Tar(OutputStream out) {
        this.out = out;
    }

    @Override
    public void folder(Place place, Found found) throws IOException {
        header(bytes(place, "/"), found, '5', 0, new byte[0]);
    }

    @Override
    public void link(Place place, Found found, String target) throws IOException {
        byte[] text = target.getBytes(StandardCharsets.UTF_8);
        header(bytes(place, ""), found, '2', 0, text);
    }

    @Override
    public void begin(Place place, Found found) throws IOException {
        header(bytes(place, ""), found, '0', found.size(), new byte[0]);
        left = found.size();
        written = found.size();
    }

    @Override
    public void write(byte[] bytes, int count) throws IOException {
        int fits = (int) Math.min(left, count);
        out.write(bytes, 0, fits);
        left -= fits;
    }

    /** A file that became shorter meanwhile ends in zeros. */
    @Override
    public boolean end() throws IOException {
        int zeros = (int) Math.min(left, ZEROS);
        out.write(new byte[zeros]);
        left -= zeros;
        if (left > 0) {
            return false;
        }
        pad(written);
        return true;
    }

    @Override
    public void whole(Place place, Found found, byte[] bytes, int count) throws IOException {
        begin(place, found);
        write(bytes, count);
        pad(written);
    }

    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK]);
    }

    @Override
    public void release() {}

    private static byte[] bytes(Place place, String end) {
        return (String.join("/", place.names()) + end).getBytes(StandardCharsets.ISO_8859_1);
    }

    private void pad(long size) throws IOException {
        out.write(new byte[(int) ((BLOCK - size % BLOCK) % BLOCK)]);
    }

    private void header(byte[] name, Found found, char kind, long size, byte[] target) throws IOException {
        if (target.length > NAME) {
            further('K', target);
        }
        if (name.length > NAME) {
            further('L', name);
        }
        block(name, found.mode(), size, found.changed() / 1_000, kind, target);
    }

    private void further(char kind, byte[] text) throws IOException {
        block("././@LongLink".getBytes(StandardCharsets.US_ASCII), 0, text.length + 1L, 0, kind, new byte[0]);
        out.write(text);
        out.write(0);
        pad(text.length + 1L);
    }

    private void block(byte[] name, int mode, long size, long seconds, char kind, byte[] target) throws IOException {
        byte[] block = new byte[BLOCK];
        System.arraycopy(name, 0, block, 0, Math.min(NAME, name.length));
        number(block, 100, 8, mode);
        number(block, 108, 8, 0);
        number(block, 116, 8, 0);
        number(block, 124, 12, size);
        number(block, 136, 12, Math.max(0, seconds));
        Arrays.fill(block, 148, 156, (byte) ' ');
        block[156] = (byte) kind;
        System.arraycopy(target, 0, block, 157, Math.min(NAME, target.length));
        System.arraycopy("ustar  ".getBytes(StandardCharsets.US_ASCII), 0, block, 257, 7);
        int sum = 0;
        for (byte one : block) {
            sum += one & 0xff;
        }
        number(block, 148, 7, sum);
        out.write(block);
    }

    private static void number(byte[] block, int at, int width, long value) {
        if (value >= MOST_OCTAL) {
            block[at] = (byte) 0x80;
            for (int i = width - 1; i > 0; i--) {
                int shift = 8 * (width - 1 - i);
                block[at + i] = (byte) (shift >= 64 ? 0 : value >> shift);
            }
            return;
        }
        long rest = value;
        for (int i = width - 2; i >= 0; i--, rest >>= 3) {
            block[at + i] = (byte) ('0' + (rest & 7));
        }
    }
}
