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

    @Test
    void who_comes_late_begins_between_two_letters_and_orders_on_the_screen_that_there_is() {
        String[] words = {
            "text ", "行", "\u001b[31m", "\u001b[?2004h", "\u001b]0;a title\u0007", "\u001b(B", "\u001b[?25l"
        };
        for (int cut = 1; cut < 40; cut++) {
            var backlog = new Backlog(64);
            backlog.add(Buffer.buffer("\u001b[?1049h\u001b[?1;1000h\u001b[?1000l\u001b[5;1H"));
            backlog.add(Buffer.buffer("x".repeat(cut)));
            for (int i = 0; i < 30; i++) {
                backlog.add(Buffer.buffer(words[i % words.length]));
            }
            Backlog.Start start = backlog.start();
            String seen = from(backlog, start.offset()).toString();
            assertThat(start.before()).isEqualTo("\u001b[?1h\u001b[?25l\u001b[?1049h\u001b[?2004h");
            assertThat(String.join("", words).repeat(6)).contains(seen.substring(0, 8));
            assertThat(seen.charAt(0)).isIn('\u001b', '行', 't', 'e', 'x', ' ');
        }
    }

    @Test
    void what_was_switched_back_or_reset_is_forgotten() {
        var backlog = new Backlog(16);
        backlog.add(Buffer.buffer("\u001b[?1049h\u001b[?25l\u001b[?1049l\u001b[?25h" + "x".repeat(40)));
        assertThat(backlog.start().before()).isEmpty();
        backlog.add(Buffer.buffer("\u001b[?1049h\u001bc" + "x".repeat(40)));
        assertThat(backlog.start().before()).isEmpty();
        backlog.add(Buffer.buffer("\u001b[?4711h\u001b[?9;1049;h" + "x".repeat(40)));
        assertThat(backlog.start().before()).isEqualTo("\u001b[?1049h");
    }

    @Test
    void what_is_all_there_begins_at_its_beginning() {
        var backlog = new Backlog(16);
        backlog.add(Buffer.buffer("\u001b[?1049h"));
        assertThat(backlog.start()).isEqualTo(new Backlog.Start(0, ""));
    }

    private static Buffer from(Backlog backlog, long from) {
        var read = Buffer.buffer();
        while (from + read.length() < backlog.end()) {
            read.appendBuffer(backlog.read(from + read.length(), 10));
        }
        return read;
    }
}
