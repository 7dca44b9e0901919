package io.sluice.engines.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.engines.Command;
import io.sluice.engines.Engine.Unavailable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What programs print and read, at the edges: the rest is tried with real programs, of each engine. */
class PipesTest {

    @Test
    void a_gateway_that_has_stopped_is_told_nothing_and_ends_who_would_go_on_reading() {
        var vertx = Vertx.vertx();
        var context = vertx.getOrCreateContext();
        var reader = new PipeReader(context);
        vertx.close().await();
        assertThatThrownBy(() -> reader.feed(Buffer.buffer("more"))).isInstanceOf(InterruptedException.class);
        reader.finish();
        reader.resume();
    }

    @Test
    void what_was_written_is_there_also_when_nobody_is_left_to_be_told() {
        var vertx = Vertx.vertx();
        var pipe = new ByteArrayOutputStream();
        var writer = new PipeWriter("pipes-test", pipe, vertx.getOrCreateContext());
        vertx.close().await();
        assertThat(writer.write(Buffer.buffer("one"))).isNotNull();
        assertThat(writer.write(Buffer.buffer("two"))).isNotNull();
        for (long end = System.nanoTime() + 10_000_000_000L; pipe.size() < 6; Thread.onSpinWait()) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    @Test
    void one_whose_end_is_not_known_keeps_no_thread_waiting() throws Exception {
        var vertx = Vertx.vertx();
        var context = vertx.getOrCreateContext();
        var closed = new CountDownLatch(1);
        var pipe = new ByteArrayOutputStream() {
            @Override
            public void close() {
                closed.countDown();
            }
        };
        var program = new OfTest(context, new PipeWriter("pipes-test", pipe, context));
        program.lost(new IOException("the engine is away"));
        assertThatThrownBy(() -> program.exit().await()).hasMessage("the engine is away");
        assertThat(closed.await(10, TimeUnit.SECONDS)).isTrue();
        vertx.close().await();
    }

    private static final class OfTest extends Program {
        OfTest(Context context, PipeWriter input) {
            super(new PipeReader(context), new PipeReader(context), input, false, context);
        }

        @Override
        protected Future<Void> fitted(Command.Screen screen) {
            return Future.succeededFuture();
        }

        @Override
        public void end() {
            over(0);
        }
    }

    @Test
    void there_are_so_many_programs_at_once_and_one_more_when_one_has_ended() {
        List<Integer> told = new ArrayList<>();
        var limit = new Limit(told::add);
        for (int i = 0; i < 128; i++) {
            limit.take();
        }
        assertThatThrownBy(limit::take).isInstanceOf(Unavailable.class).hasMessageContaining("Close a terminal");
        assertThat(told).hasSize(128).endsWith(128);
        limit.free();
        limit.take();
        assertThat(told).endsWith(127, 128);
    }
}
