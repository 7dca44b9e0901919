package io.sluice.telemetry.exposition;

import io.sluice.web.Call;
import io.sluice.web.Reply;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Long answers, compressed beside the event loops: the edge would compress them on one. */
public final class Gzip {
    private static final int SHORT = 64 << 10;

    private Gzip() {}

    /** Whether whoever asks takes it. */
    public static boolean isTaken(Call call) {
        return call.headers("Accept-Encoding").stream()
                .flatMap(header -> Stream.of(header.split(",")))
                .map(String::strip)
                .anyMatch(coding ->
                        coding.matches("(?i)(x-)?gzip\\s*(;.*)?") && !coding.matches(".*;\\s*[qQ]=0(\\.0*)?"));
    }

    /** Level 1: a level more costs more than Prometheus gains. */
    static Buffer of(byte[] bytes, int size) throws IOException {
        var compressed = new ByteArrayOutputStream(size / 4 + 64);
        try (var gzip = new GZIPOutputStream(compressed, 1 << 16) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            gzip.write(bytes, 0, size);
        }
        return Buffer.buffer(compressed.toByteArray());
    }

    /** On a thread that may take its time. */
    public static Reply reply(Call call, String type, Buffer plain) {
        if (plain.length() < SHORT) {
            return Reply.bytes(type, plain);
        }
        try {
            return isTaken(call) ? packed(type, of(plain.getBytes(), plain.length())) : plain(type, plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static Reply packed(String type, Buffer compressed) {
        return Reply.bytes(type, compressed).header("Content-Encoding", "gzip").header("Vary", "Accept-Encoding");
    }

    /** Named, though it is none, so that the edge compresses it neither. */
    public static Reply plain(String type, Buffer plain) {
        return Reply.bytes(type, plain).header("Content-Encoding", "identity").header("Vary", "Accept-Encoding");
    }
}
