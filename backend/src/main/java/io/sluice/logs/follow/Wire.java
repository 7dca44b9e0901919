package io.sluice.logs.follow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.logs.files.Gaps;
import io.sluice.logs.files.Reader;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Frames as they stand on the wire, to be made once and written to many sockets. */
final class Wire {
    /** Bytes of log in one frame: with the offset before them, the most whose length fits into two bytes. */
    static final int MOST = 65_535 - Long.BYTES;

    private static final int HEADER = 10 + Long.BYTES;
    /** Of a frame of more than 125 and less than 65,536 bytes, with the offset. */
    private static final int HEAD = 4 + Long.BYTES;

    private static final int BINARY = 0x82;
    private static final int TEXT = 0x81;
    private static final ObjectMapper JSON = new ObjectMapper();

    private Wire() {}

    /** What was read of a log. */
    sealed interface Piece {
        /** @param to where it ends; the buffer is the receiver's to release */
        record Data(ByteBuf buffer, long to) implements Piece {}

        record Hole(Gaps.Gap gap) implements Piece {}
    }

    /** As frames, each with its offset. */
    static Piece frames(Reader log, long from, int length) throws IOException {
        ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(length + HEADER * (length / MOST + 1));
        long at = from;
        try {
            while (at < from + length) {
                int room = (int) Math.min(MOST, from + length - at);
                int begin = out.writerIndex();
                // written behind the longest head, and moved if a shorter one is enough: rarely, and little then
                var into = out.ensureWritable(HEAD + room).nioBuffer(begin + HEAD, room);
                Gaps.Gap hole = log.read(at, into);
                int count = into.position();
                if (hole != null && at == from) {
                    out.release();
                    return new Piece.Hole(hole);
                }
                if (count > 0) {
                    finish(out, begin, at, count);
                    at += count;
                }
                if (count < room) {
                    break;
                }
            }
            return new Piece.Data(out, at);
        } catch (IOException | RuntimeException e) {
            out.release();
            throw e;
        }
    }

    private static void finish(ByteBuf out, int begin, long offset, int count) {
        int payload = count + Long.BYTES;
        int head = payload < 126 ? 2 : 4;
        if (head == 2) {
            byte[] bytes = new byte[count];
            out.getBytes(begin + HEAD, bytes).setBytes(begin + head + Long.BYTES, bytes);
            out.setByte(begin + 1, payload);
        } else {
            out.setByte(begin + 1, 126).setShort(begin + 2, payload);
        }
        out.setByte(begin, BINARY).setLong(begin + head, offset).writerIndex(begin + head + payload);
    }

    /** As they are. */
    static Piece bytes(Reader log, long from, int length) throws IOException {
        ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(length);
        try {
            var into = out.nioBuffer(0, length);
            Gaps.Gap hole = log.read(from, into);
            if (hole != null) {
                out.release();
                return new Piece.Hole(hole);
            }
            return new Piece.Data(out.writerIndex(into.position()), from + into.position());
        } catch (IOException | RuntimeException e) {
            out.release();
            throw e;
        }
    }

    static ByteBuf text(Map<String, ? extends @Nullable Object> message) {
        byte[] json;
        try {
            json = JSON.writeValueAsBytes(message);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a message can not be written", e);
        }
        ByteBuf out =
                ByteBufAllocator.DEFAULT.directBuffer(json.length + HEADER).writeByte(TEXT);
        if (json.length < 126) {
            out.writeByte(json.length);
        } else if (json.length < 65_536) {
            out.writeByte(126).writeShort(json.length);
        } else {
            out.writeByte(127).writeLong(json.length);
        }
        return out.writeBytes(json);
    }
}
