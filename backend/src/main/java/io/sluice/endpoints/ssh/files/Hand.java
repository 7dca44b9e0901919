package io.sluice.endpoints.ssh.files;

import io.sluice.engines.Command;
import io.sluice.engines.Exec;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A shell in a task that does one thing after the other. Every line that it is given is answered by what was printed, a mark that nobody
 * else knows, and how it ended.
 */
final class Hand {
    /** As small an image as there is has all of this; what comes on the input beside the lines is for a line's own program. */
    private static final String SCRIPT = """
        LC_ALL=C; export LC_ALL; cd /userhome 2>/dev/null || cd
        n='
        '
        no() { echo "$1"; return 1; }
        there() { [ -e "$1" ] || [ -L "$1" ]; }
        folder() { [ -d "$1" ] && ! [ -L "$1" ]; }
        masked() { printf %o "$(( 0$1 & ~0$(umask) ))"; }
        list() (
          there "$1" || no 'No such file or directory' || exit
          [ -d "$1" ] || no 'Not a directory' || exit
          { cd "$1" && [ -r . ]; } 2>/dev/null || no 'Permission denied' || exit
          k=$2
          set -- .* *
          [ $# -le $((k + 2)) ] || no "Too many files to list at once: more than $k" || exit
          set --
          for f in .* *; do
            case $f in .|..) continue;; esac
            set -- "$@" "./$f"
            [ $# -lt 100 ] || { stat -c '/%f %s %u %g %X %Y/%n' "$@" 2>/dev/null; set --; }
          done
          [ $# -eq 0 ] || stat -c '/%f %s %u %g %X %Y/%n' "$@" 2>/dev/null
          exit 0
        )
        [ "$(printf abc | dd ibs=2 count=1 iflag=fullblock 2>/dev/null)" = ab ] || { echo old >&2; exit 3; }
        read -r m
        while IFS= read -r l; do eval "$l"; printf '\\n%s %03d\\n' "$m" "$?"; done
        """;

    private static final int CODE_DIGITS = 3;
    private static final long PATIENCE_SECONDS = 120;
    private static final int MOST = 40 << 20;
    private static final int AHEAD = 4;
    private static final int PIECE = 32 << 10;

    /** @param code 0: it has been done */
    @SuppressWarnings("ArrayRecordComponent")
    record Answer(int code, byte[] said) {
        byte[] orFault() throws Fault {
            if (code != 0) {
                throw Fault.of(said);
            }
            return said;
        }
    }

    private final Exec exec;
    private final BlockingQueue<Optional<Buffer>> pieces = new LinkedBlockingQueue<>();
    private final byte[] mark = ("\n" + UUID.randomUUID() + " ").getBytes(StandardCharsets.US_ASCII);
    private boolean greeted;

    Hand(Exec exec) {
        this.exec = exec;
        exec.output().handler(piece -> pieces.add(Optional.of(piece))).endHandler(end -> pieces.add(Optional.empty()));
        exec.output().fetch(AHEAD);
        exec.errors().handler(unheard -> {});
        exec.errors().resume();
    }

    static Command program() {
        return new Command(List.of("sh", "-c", SCRIPT), Map.of(), null);
    }

    Answer run(String line) throws IOException, InterruptedException {
        return run("{ " + line + "; } </dev/null 2>&1", new byte[0], 0);
    }

    /** A line whose program reads so many bytes, all of them, or ends the shell. */
    Answer run(String line, byte[] input, int count) throws IOException, InterruptedException {
        if (!greeted) {
            greeted = true;
            say(Arrays.copyOfRange(mark, 1, mark.length - 1), mark.length - 2);
            say(new byte[] {'\n'}, 1);
        }
        byte[] text = (line + "\n").getBytes(StandardCharsets.ISO_8859_1);
        say(text, text.length);
        for (int from = 0; from < count; from += PIECE) {
            int end = Math.min(count, from + PIECE);
            say(Arrays.copyOfRange(input, from, end), end - from);
        }
        return answer();
    }

    private void say(byte[] bytes, int count) throws IOException, InterruptedException {
        try {
            exec.input()
                    .write(Buffer.buffer(count).appendBytes(bytes, 0, count))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the task does not take what it is sent", e);
        }
    }

    private Answer answer() throws IOException, InterruptedException {
        var said = new Said();
        while (true) {
            Optional<Buffer> piece = pieces.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (piece == null || piece.isEmpty()) {
                throw new IOException(piece == null ? "the task does not answer" : "the shell in the task has ended");
            }
            exec.output().fetch(1);
            said.write(piece.get().getBytes());
            int end = said.size() - mark.length - CODE_DIGITS - 1;
            if (end >= 0 && said.hasAt(end, mark)) {
                return said.upTo(end, mark.length);
            }
            if (said.size() > MOST) {
                throw new IOException("the answer is too long");
            }
        }
    }

    /** Looked into without being copied. */
    private static final class Said extends ByteArrayOutputStream {
        boolean hasAt(int begin, byte[] wanted) {
            return Arrays.equals(buf, begin, begin + wanted.length, wanted, 0, wanted.length);
        }

        Answer upTo(int end, int mark) {
            var code = new String(buf, end + mark, CODE_DIGITS, StandardCharsets.US_ASCII);
            return new Answer(Integer.parseInt(code), Arrays.copyOf(buf, end));
        }
    }

    /** Bytes of a client's as one word of a line: nothing in it means anything to the shell. */
    static String word(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return "'" + text.replace("'", "'\\''").replace("\n", "'\"$n\"'") + "'";
    }
}
