package io.sluice.engines;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.nio.charset.StandardCharsets;

/**
 * A program that runs inside a task, beside the task's own. It ends with the task at the latest; what it has put into the
 * background, in a group of its own, goes on without it. Its streams begin paused, and are told of on the context of
 * whoever started it.
 */
public interface Exec {

    /** What it prints; on a terminal all of it. While it is paused the program waits, once a small buffer is full. */
    ReadStream<Buffer> output();

    /** Empty on a terminal. */
    ReadStream<Buffer> errors();

    WriteStream<Buffer> input();

    /** As a shell gives it: 128 + signal for a program ended by a signal. */
    Future<Integer> exit();

    /** Fails where it has no terminal. */
    Future<Void> resize(Command.Screen screen);

    /** Ends the program, by force. */
    void end();

    /** How a program ended whose output was wanted as a whole. */
    record Ended(int code, String output) {}

    /** Gives the program nothing to read, and waits for its end. Of what it printed the last {@code most} bytes are kept. */
    static Future<Ended> whole(Exec exec, int most) {
        var kept = new Object() {
            Buffer bytes = Buffer.buffer();

            void add(Buffer piece) {
                bytes.appendBuffer(piece);
                if (bytes.length() > most) {
                    bytes = bytes.getBuffer(bytes.length() - most, bytes.length());
                }
            }
        };
        Promise<Void> printed = Promise.promise();
        Promise<Void> complained = Promise.promise();
        exec.output().handler(kept::add).endHandler(printed::tryComplete);
        exec.errors().handler(kept::add).endHandler(complained::tryComplete);
        exec.output().resume();
        exec.errors().resume();
        return exec.input()
                .end()
                .otherwiseEmpty()
                .compose(closed -> Future.all(exec.exit(), printed.future(), complained.future()))
                .map(all -> new Ended(all.resultAt(0), kept.bytes.toString(StandardCharsets.UTF_8)));
    }
}
