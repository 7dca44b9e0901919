package io.sluice.engines.docker.networks;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Optional;

/** A program that waits until it is killed, of a few instructions: an image of nothing else takes 4 KiB, and nothing is fetched. */
final class Waiter {

    /**
     * Waits for a signal, and again.
     *
     * <pre>
     * b8 22 00 00 00   again: mov  eax, 34      ; pause
     * 0f 05                   syscall
     * eb f7                   jmp  again
     * </pre>
     */
    private static final String AMD64 = "b822000000 0f05 ebf7";

    /**
     * This kernel has no pause: it waits for nothing, for ever. An instruction is a word, the lowest byte first.
     *
     * <pre>
     * d2800000   again: mov  x0, 0        // no descriptors
     * d2800001          mov  x1, 0
     * d2800002          mov  x2, 0        // no limit of time
     * d2800003          mov  x3, 0        // no other signals
     * d2800004          mov  x4, 0
     * d2800928          mov  x8, 73       // ppoll
     * d4000001          svc  0
     * 17fffff9          b    again
     * </pre>
     */
    private static final String ARM64 = "000080d2 010080d2 020080d2 030080d2 040080d2 280980d2 010000d4 f9ffff17";

    private static final short X86_64 = 62;
    private static final short AARCH64 = 183;
    private static final int FILE_HEADER = 64;
    private static final int PROGRAM_HEADER = 56;
    private static final int EXECUTABLE = 2;
    private static final int LOADED = 1;
    private static final int READ_AND_EXECUTE = 5;
    private static final long PLACE = 0x400000;
    /** The largest pages that there are. */
    private static final long PAGE = 0x10000;

    private Waiter() {}

    /**
     * An ELF file; empty for a processor that no program was written for.
     *
     * @param architecture as the engine tells its machine's
     */
    static Optional<byte[]> of(String architecture) {
        return switch (architecture) {
            case "x86_64", "amd64" -> Optional.of(program(X86_64, AMD64));
            case "aarch64", "arm64" -> Optional.of(program(AARCH64, ARM64));
            default -> Optional.empty();
        };
    }

    private static byte[] program(short machine, String instructions) {
        var code = HexFormat.of().parseHex(instructions.replace(" ", ""));
        int begin = FILE_HEADER + PROGRAM_HEADER;
        long size = (long) begin + code.length;
        var file = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0}).putLong(0); // 64 bits, the lowest byte first
        file.putShort((short) EXECUTABLE).putShort(machine).putInt(1);
        file.putLong(PLACE + begin).putLong(FILE_HEADER).putLong(0).putInt(0); // entry; no sections
        file.putShort((short) FILE_HEADER).putShort((short) PROGRAM_HEADER).putShort((short) 1);
        file.putShort((short) 0).putShort((short) 0).putShort((short) 0);
        // all of it, in one piece
        file.putInt(LOADED).putInt(READ_AND_EXECUTE).putLong(0).putLong(PLACE).putLong(PLACE);
        file.putLong(size).putLong(size).putLong(PAGE);
        return file.put(code).array();
    }
}
