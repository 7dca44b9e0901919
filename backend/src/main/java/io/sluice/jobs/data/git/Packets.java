package io.sluice.jobs.data.git;

import io.sluice.files.stores.StoreFault;
import io.sluice.files.stores.StoreFault.Why;
import io.sluice.jobs.data.care.Care;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** What git's servers say, in packets: four digits of length before each. One is in memory at a time, and not more come than were wanted. */
final class Packets {
    private static final int DIGITS = 4;

    /** What a packet is. */
    enum Kind {
        LINE,
        FLUSH,
        DELIMITER,
        END,
        /** Nothing more comes. */
        OVER
    }

    /** One of them. */
    record Packet(Kind kind, Buffer bytes) {
        private static Packet of(Kind kind) {
            return new Packet(kind, Buffer.buffer());
        }

        String text() {
            return bytes.toString(StandardCharsets.UTF_8).stripTrailing();
        }
    }

    private final InputStream in;
    private final Care care;
    private long left;

    /** @param care is asked before each wait, so that what nobody wants any more is left off */
    Packets(InputStream in, long most, Care care) {
        this.in = in;
        this.care = care;
        this.left = most;
    }

    Packet next() throws IOException {
        byte[] digits = read(DIGITS);
        if (digits.length == 0) {
            return Packet.of(Kind.OVER);
        }
        int length = length(digits);
        return switch (length) {
            case 0 -> Packet.of(Kind.FLUSH);
            case 1 -> Packet.of(Kind.DELIMITER);
            case 2 -> Packet.of(Kind.END);
            default -> line(length);
        };
    }

    private Packet line(int length) throws IOException {
        if (length < DIGITS) {
            throw odd();
        }
        byte[] bytes = read(length - DIGITS);
        if (bytes.length < length - DIGITS) {
            throw new StoreFault(Why.BROKEN, "The line broke: the server's answer was cut off.");
        }
        var packet = new Packet(Kind.LINE, Buffer.buffer(bytes));
        if (bytes.length > DIGITS && new String(bytes, 0, DIGITS, StandardCharsets.US_ASCII).equals("ERR ")) {
            throw refused(packet.text().substring(DIGITS));
        }
        return packet;
    }

    private byte[] read(int count) throws IOException {
        left -= count;
        if (left < 0) {
            throw new StoreFault(
                    Why.REFUSED,
                    "More comes than there is room for: --data-size or the disk of this gateway ends it. Ask your administrator, or fetch it in the commands with git clone --depth 1.");
        }
        byte[] bytes = new byte[count];
        int had = 0;
        while (had < count) {
            care.goOn();
            int more = some(bytes, had);
            if (more < 0) {
                return Arrays.copyOf(bytes, had);
            }
            had += more;
        }
        return bytes;
    }

    private int some(byte[] bytes, int from) throws StoreFault {
        try {
            return in.read(bytes, from, bytes.length - from);
        } catch (IOException e) {
            throw new StoreFault(Why.BROKEN, "The line broke: " + e.getMessage(), e);
        }
    }

    private static int length(byte[] digits) throws StoreFault {
        String text = new String(digits, StandardCharsets.US_ASCII);
        if (!text.matches("[0-9a-fA-F]{4}")) {
            throw odd();
        }
        return Integer.parseInt(text, 16);
    }

    private static StoreFault odd() {
        return new StoreFault(
                Why.REFUSED, "What its server answers is not git. Look at the address with git ls-remote.");
    }

    /** What a server has said, as much as a page can show. */
    static StoreFault refused(String said) {
        String plain = said.replaceAll("(?U)[\\p{Cntrl}\\p{Cf}]", " ").strip();
        return new StoreFault(
                Why.REFUSED,
                "Its server refuses: “" + plain.substring(0, Math.min(200, plain.length()))
                        + "”. Try the same with git clone --depth 1.");
    }

    static byte[] packet(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] all = new byte[bytes.length + DIGITS];
        System.arraycopy(String.format("%04x", all.length).getBytes(StandardCharsets.US_ASCII), 0, all, 0, DIGITS);
        System.arraycopy(bytes, 0, all, DIGITS, bytes.length);
        return all;
    }
}
