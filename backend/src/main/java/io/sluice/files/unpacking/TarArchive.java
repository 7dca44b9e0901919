package io.sluice.files.unpacking;

import io.sluice.files.unpacking.BadArchive.Why;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** As GNU tar, POSIX pax and the tars before them write it. */
final class TarArchive implements Archive {
    static final int BLOCK = 512;
    /** Of all headers before one entry together. */
    private static final int MOST_SAID = 1 << 20;

    private static final Set<String> HEEDED = Set.of("path", "linkpath", "size", "mtime");
    private static final String SPARSE = "GNU.sparse";
    private static final int SUM = 148;

    private final InputStream in;
    private final byte[] block = new byte[BLOCK];
    /** Of the file that came last, and what fills up its block. */
    private long left;

    private int filling;
    private int saidBytes;
    private String last = "";

    TarArchive(InputStream in) {
        this.in = in;
    }

    /** Whether a tar begins so. */
    static boolean begins(byte[] block) {
        return isEnd(block) || sum(block) == octal(block, SUM, 8);
    }

    private static boolean isEnd(byte[] block) {
        for (byte one : block) {
            if (one != 0) {
                return false;
            }
        }
        return true;
    }

    private static long sum(byte[] block) {
        long sum = 8 * ' ';
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= SUM && i < SUM + 8 ? 0 : block[i] & 0xff;
        }
        return sum;
    }

    @Override
    public @Nullable Entry next() throws IOException {
        Map<String, String> said = new HashMap<>();
        saidBytes = 0;
        while (true) {
            skip();
            fill(block, BLOCK);
            if (isEnd(block)) {
                if (!said.isEmpty()) {
                    throw new BadArchive(Why.DAMAGED, last);
                }
                end();
                return null;
            }
            if (sum(block) != octal(block, SUM, 8)) {
                throw new BadArchive(Why.DAMAGED, last);
            }
            long size = number(124, 12);
            switch (block[156]) {
                case 'x' -> pax(read(size), said);
                case 'g', 'V' -> read(size);
                case 'L' -> said.put("path", words(read(size)));
                case 'K' -> said.put("linkpath", words(read(size)));
                default -> {
                    return entry(said, size);
                }
            }
        }
    }

    private Entry entry(Map<String, String> said, long stands) throws IOException {
        String name = said.getOrDefault("path", name());
        last = name;
        long size = said.containsKey("size") ? decimal(Objects.requireNonNull(said.get("size"))) : stands;
        Kind kind = kind(name, said);
        left = kind == Kind.FILE ? size : 0;
        filling = (int) ((BLOCK - left % BLOCK) % BLOCK);
        String target = said.getOrDefault("linkpath", text(157, 100));
        return new Entry(name, kind, (int) number(100, 8) & 07777, changed(said), target);
    }

    private Kind kind(String name, Map<String, String> said) throws BadArchive {
        if (block[156] == 'S' || block[156] == 'M' || said.containsKey(SPARSE)) {
            throw new BadArchive(Why.SPARSE, name);
        }
        return switch (block[156]) {
            case '0', 0, '7' -> name.endsWith("/") ? Kind.FOLDER : Kind.FILE;
            case '1' -> Kind.TWIN;
            case '2' -> Kind.LINK;
            case '5' -> Kind.FOLDER;
            default -> throw new BadArchive(Why.SPECIAL, name);
        };
    }

    private long changed(Map<String, String> said) throws BadArchive {
        String told = said.getOrDefault("mtime", "");
        return told.matches("\\d{1,11}(\\.\\d{0,20})?")
                ? (long) (Double.parseDouble(told) * 1_000)
                : number(136, 12) * 1_000;
    }

    private String name() {
        boolean posix = text(257, 6).equals("ustar");
        String before = posix ? text(345, 155) : "";
        return before.isEmpty() ? text(0, 100) : before + "/" + text(0, 100);
    }

    private String text(int at, int most) {
        int end = at;
        while (end < at + most && block[end] != 0) {
            end++;
        }
        return new String(block, at, end - at, StandardCharsets.ISO_8859_1);
    }

    private static String words(byte[] bytes) {
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    }

    /** Records of {@code LENGTH KEY=VALUE}, each with a newline at its end. */
    private void pax(byte[] bytes, Map<String, String> said) throws BadArchive {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int at = 0; at < text.length(); ) {
            int blank = text.indexOf(' ', at);
            String length = blank < 0 ? "" : text.substring(at, blank);
            int end = length.matches("\\d{1,7}") ? at + Integer.parseInt(length) : -1;
            int equals = text.indexOf('=', at);
            if (end <= equals || equals < blank || end > text.length() || text.charAt(end - 1) != '\n') {
                throw new BadArchive(Why.DAMAGED, last);
            }
            String key = text.substring(blank + 1, equals);
            if (HEEDED.contains(key)) {
                said.put(key, text.substring(equals + 1, end - 1));
            } else if (key.startsWith(SPARSE)) {
                said.put(SPARSE, "");
            }
            at = end;
        }
    }

    private long decimal(String text) throws BadArchive {
        if (!text.matches("\\d{1,18}")) {
            throw new BadArchive(Why.DAMAGED, last);
        }
        return Long.parseLong(text);
    }

    private long number(int at, int width) throws BadArchive {
        long value = (block[at] & 0x80) == 0 ? octal(block, at, width) : binary(at, width);
        if (value < 0) {
            throw new BadArchive(Why.DAMAGED, last);
        }
        return value;
    }

    /** What octal digits have no room for. */
    private long binary(int at, int width) {
        long value = block[at] & 0x7f;
        for (int i = at + 1; i < at + width; i++) {
            if (value >> 54 != 0) {
                return -1;
            }
            value = (value << 8) | (block[i] & 0xff);
        }
        return value;
    }

    /** -1: it is none. */
    private static long octal(byte[] block, int at, int width) {
        String text = new String(block, at, width, StandardCharsets.ISO_8859_1)
                .replace('\0', ' ')
                .strip();
        return text.isEmpty() ? 0 : text.matches("[0-7]{1,12}") ? Long.parseLong(text, 8) : -1;
    }

    private byte[] read(long size) throws IOException {
        if (size > MOST_SAID - BLOCK - saidBytes) {
            throw new BadArchive(Why.HEADERS, last);
        }
        saidBytes += BLOCK + (int) size;
        byte[] bytes = new byte[(int) size];
        fill(bytes, bytes.length);
        filling = (int) ((BLOCK - size % BLOCK) % BLOCK);
        return bytes;
    }

    private void fill(byte[] bytes, int count) throws IOException {
        if (in.readNBytes(bytes, 0, count) < count) {
            throw new BadArchive(Why.CUT, last);
        }
    }

    private void skip() throws IOException {
        byte[] over = new byte[64 << 10];
        for (; left > 0; left -= Math.min(over.length, left)) {
            fill(over, (int) Math.min(over.length, left));
        }
        fill(over, filling);
        filling = 0;
    }

    /** What packed it has its own checksum, behind all that fills up the last piece. */
    private void end() throws IOException {
        byte[] rest = new byte[64 << 10];
        while (in.read(rest) >= 0) {}
    }

    @Override
    public int read(byte[] into) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = in.read(into, 0, (int) Math.min(into.length, left));
        if (count < 0) {
            throw new BadArchive(Why.CUT, last);
        }
        left -= count;
        return count;
    }

    @Override
    public long promised() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
