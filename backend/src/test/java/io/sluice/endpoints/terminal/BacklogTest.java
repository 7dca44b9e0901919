package io.sluice.endpoints.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BacklogTest {

    @Test
    void the_last_bytes_are_there_by_their_offset_however_they_came() {
        var random = new Random(7);
        var backlog = new Backlog(64);
        var all = Buffer.buffer();
        for (int i = 0; i < 500; i++) {
            byte[] piece = new byte[random.nextInt(150)];
            random.nextBytes(piece);
            backlog.add(Buffer.buffer(piece));
            all.appendBytes(piece);
            assertThat(backlog.end()).isEqualTo(all.length());
            assertThat(backlog.begin()).isEqualTo(Math.max(0, all.length() - 64));
            long from = backlog.begin() + random.nextInt((int) (backlog.end() - backlog.begin()) + 1);
            assertThat(from(backlog, from)).isEqualTo(all.getBuffer((int) from, all.length()));
        }
    }

    private static Buffer from(Backlog backlog, long from) {
        var read = Buffer.buffer();
        while (from + read.length() < backlog.end()) {
            read.appendBuffer(backlog.read(from + read.length(), 10));
        }
        return read;
    }
}
