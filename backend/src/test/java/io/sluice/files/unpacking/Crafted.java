package io.sluice.files.unpacking;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Archives as nobody's packer writes them: each byte of them as it is wanted. */
public final class Crafted {
    private Crafted() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** How something is packed. */
    @FunctionalInterface
    private interface Packer {
        OutputStream around(OutputStream out) throws IOException;
    }

    private static byte[] packed(byte[] content, Packer packer) {
        var out = new ByteArrayOutputStream();
        try (OutputStream packed = packer.around(out)) {
            packed.write(content);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    public static byte[] gz(byte[] content) {
        return packed(content, GZIPOutputStream::new);
    }

    static byte[] xz(byte[] content, int preset) {
        return packed(content, out -> new XZOutputStream(out, new LZMA2Options(preset)));
    }

    /** A tar, header by header. */
    public static final class Tar {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        public Tar file(String name, String content) {
            return entry('0', name, "", 0644, bytes(content), content.length());
        }

        Tar folder(String name) {
            return entry('5', name, "", 0755, new byte[0], 0);
        }

        Tar link(String name, String target) {
            return entry('2', name, target, 0777, new byte[0], 0);
        }

        Tar twin(String name, String target) {
            return entry('1', name, target, 0644, new byte[0], 0);
        }

        /** @param says how long it is told to be */
        Tar entry(char kind, String name, String target, int mode, byte[] content, long says) {
            byte[] block = new byte[512];
            System.arraycopy(bytes(name), 0, block, 0, Math.min(100, name.length()));
            put(block, 100, "%07o".formatted(mode));
            put(block, 124, "%011o".formatted(says));
            put(block, 136, "%011o".formatted(1_600_000_000L));
            put(block, 148, "        ");
            block[156] = (byte) kind;
            put(block, 157, target);
            put(block, 257, "ustar\00000");
            int sum = 0;
            for (byte one : block) {
                sum += one & 0xff;
            }
            put(block, 148, "%06o\0 ".formatted(sum));
            out.writeBytes(block);
            out.writeBytes(content);
            out.writeBytes(new byte[(512 - content.length % 512) % 512]);
            return this;
        }

        private static void put(byte[] block, int at, String text) {
            System.arraycopy(bytes(text), 0, block, at, text.length());
        }

        /** What stands for the next entry, besides what its header has room for. */
        Tar says(String key, String value) {
            String rest = " " + key + "=" + value + "\n";
            int length = rest.length() + 1;
            while (Integer.toString(length).length() + rest.length() > length) {
                length++;
            }
            String record = length + rest;
            return entry('x', "pax", "", 0644, bytes(record), record.length());
        }

        byte[] cut() {
            return out.toByteArray();
        }

        public byte[] done() {
            out.writeBytes(new byte[1024]);
            return out.toByteArray();
        }
    }

    /** A zip, entry by entry. */
    static final class Zip {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream list = new ByteArrayOutputStream();
        private int count;
        private int host = 3;
        private int flags = 0x800;
        private int method = 8;
        private long lie;
        private String before = "";
        private boolean wide;
        private int times = 1;

        Zip from(int whose) {
            host = whose;
            flags = 0;
            return this;
        }

        Zip flags(int said) {
            flags = said;
            return this;
        }

        Zip method(int said) {
            method = said;
            return this;
        }

        /** @param more that each entry says to be larger than it is */
        Zip lying(long more) {
            lie = more;
            return this;
        }

        /** What stands before the content instead of the name. */
        Zip named(String other) {
            before = other;
            return this;
        }

        Zip wide() {
            wide = true;
            return this;
        }

        /** Each file stands there so many times. */
        Zip again(int count) {
            times = count;
            return this;
        }

        Zip file(String name, byte[] content) {
            return entry(name, content, 0100644);
        }

        Zip file(String name, String content) {
            return file(name, bytes(content));
        }

        Zip link(String name, String target) {
            return entry(name, bytes(target), 0120777);
        }

        Zip entry(String name, byte[] content, int mode) {
            byte[] packed = method == 0 ? content : deflated(content);
            for (int i = 0; i < times; i++) {
                entry(i == 0 ? name : name + i, content, packed, mode);
            }
            return this;
        }

        private void entry(String name, byte[] content, byte[] packed, int mode) {
            var sum = new CRC32();
            sum.update(content);
            int at = out.size();
            byte[] raw = bytes(name);
            byte[] local = before.isEmpty() ? raw : bytes(before);
            ByteBuffer head = ordered(30);
            head.putInt(0x04034b50).putShort((short) 20).putShort((short) flags).putShort((short) method);
            head.putInt(0x5a215a21)
                    .putInt((int) sum.getValue())
                    .putInt(packed.length)
                    .putInt(content.length);
            head.putShort((short) local.length).putShort((short) 0);
            out.writeBytes(all(head));
            out.writeBytes(local);
            out.writeBytes(packed);
            ByteBuffer further = ordered(wide ? 28 : 0);
            if (wide) {
                further.putShort((short) 1).putShort((short) 24);
                further.putLong(content.length + lie).putLong(packed.length).putLong(at);
            }
            ByteBuffer listed = ordered(46);
            listed.putInt(0x02014b50).putShort((short) ((host << 8) | 20)).putShort((short) 20);
            listed.putShort((short) flags)
                    .putShort((short) method)
                    .putInt(0x5a215a21)
                    .putInt((int) sum.getValue());
            listed.putInt(wide ? -1 : packed.length).putInt(wide ? -1 : (int) (content.length + lie));
            listed.putShort((short) raw.length)
                    .putShort((short) further.capacity())
                    .putShort((short) 0);
            listed.putShort((short) 0).putShort((short) 0).putInt(mode << 16).putInt(wide ? -1 : at);
            list.writeBytes(all(listed));
            list.writeBytes(raw);
            list.writeBytes(all(further));
            count++;
        }

        private static byte[] deflated(byte[] content) {
            return packed(content, out -> new DeflaterOutputStream(out, new Deflater(9, true)));
        }

        private static byte[] all(ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.capacity()];
            buffer.get(0, bytes);
            return bytes;
        }

        private static ByteBuffer ordered(int size) {
            return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        }

        byte[] done() {
            int begin = out.size();
            out.writeBytes(list.toByteArray());
            int end = out.size();
            if (wide) {
                ByteBuffer whole = ordered(56);
                whole.putInt(0x06064b50)
                        .putLong(44)
                        .putShort((short) 45)
                        .putShort((short) 45)
                        .putInt(0)
                        .putInt(0);
                whole.putLong(count).putLong(count).putLong(end - begin).putLong(begin);
                ByteBuffer way = ordered(20);
                way.putInt(0x07064b50).putInt(0).putLong(end).putInt(1);
                out.writeBytes(all(whole));
                out.writeBytes(all(way));
            }
            ByteBuffer last = ordered(22);
            last.putInt(0x06054b50)
                    .putInt(0)
                    .putShort((short) (wide ? -1 : count))
                    .putShort((short) (wide ? -1 : count));
            last.putInt(wide ? -1 : end - begin).putInt(wide ? -1 : begin).putShort((short) 0);
            out.writeBytes(all(last));
            return out.toByteArray();
        }
    }
}
