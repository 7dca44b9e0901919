package io.sluice.files.uploads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.files.space.Space;
import io.sluice.files.tree.Owner;
import io.sluice.files.tree.Place;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.ReadStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lines that bring an upload, as they break. */
@Timeout(20)
class IntakeTest {
    private final Vertx vertx = Vertx.vertx();
    private final Intake intake = new Intake();

    @TempDir
    private Path home;

    private Uploads uploads;
    private Upload upload;

    @BeforeEach
    void begin() throws IOException {
        uploads = new Uploads(new Space(home, Owner.GATEWAY, true));
        upload = uploads.begin(Place.of("file"), 6, false);
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    /** What somebody sends, by hand. */
    private static final class Line implements ReadStream<Buffer> {
        @Nullable
        Handler<Buffer> handler;

        @Override
        public ReadStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> told) {
            return this;
        }

        @Override
        public ReadStream<Buffer> handler(@Nullable Handler<Buffer> told) {
            handler = told;
            return this;
        }

        @Override
        public ReadStream<Buffer> pause() {
            return this;
        }

        @Override
        public ReadStream<Buffer> resume() {
            return this;
        }

        @Override
        public ReadStream<Buffer> fetch(long amount) {
            return this;
        }

        @Override
        public ReadStream<Buffer> endHandler(@Nullable Handler<Void> told) {
            return this;
        }
    }

    /** Does all at once, and what goes on with an upload when the test says so. */
    private static final class Hands implements Receiving.Worker {
        final Promise<Void> writes = Promise.promise();

        @Override
        public <T> Future<T> run(Callable<T> work) {
            try {
                return Future.succeededFuture(work.call());
            } catch (Exception e) {
                return Future.failedFuture(e);
            }
        }

        @Override
        public <T> Future<T> after(Callable<T> work) {
            return writes.future().compose(now -> run(work));
        }
    }

    private Future<Intake.End> taken(Context context, Line line, boolean gone, Hands hands) {
        return on(
                context,
                () -> intake.alone(
                        context,
                        key(),
                        () -> intake.take(
                                key(), uploads, upload, new Intake.Piece(context, line, () -> gone, null), hands)));
    }

    private Intake.Key key() {
        return new Intake.Key(1, upload.id());
    }

    private static <T> Future<T> on(Context context, Supplier<Future<T>> step) {
        Promise<T> promise = Promise.promise();
        context.runOnContext(now -> step.get().onComplete(promise));
        return promise.future();
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @Test
    void whoever_waited_for_another_line_goes_on_in_their_own_loop() throws Exception {
        Context first = vertx.getOrCreateContext();
        Context second = vertx.getOrCreateContext();
        assertThat(first).isNotSameAs(second);
        Promise<String> held = Promise.promise();
        var begun = new CompletableFuture<String>();
        Future<String> one = on(
                first,
                () -> intake.alone(first, key(), () -> {
                    begun.complete("begun");
                    return held.future();
                }));
        begun.get(10, TimeUnit.SECONDS);
        var thread = new CompletableFuture<Context>();
        Future<String> other = on(
                second,
                () -> intake.alone(second, key(), () -> {
                    thread.complete(Vertx.currentContext());
                    return Future.succeededFuture("after");
                }));
        first.runOnContext(now -> held.complete("before"));

        assertThat(await(one)).isEqualTo("before");
        assertThat(await(other)).isEqualTo("after");
        assertThat(thread.get()).isSameAs(second);
        assertThat(intake.open()).isZero();
    }

    @Test
    void a_line_that_broke_before_anybody_listened_holds_nothing() throws Exception {
        var hands = new Hands();
        hands.writes.complete();
        assertThatThrownBy(() -> await(taken(vertx.getOrCreateContext(), new Line(), true, hands)))
                .hasMessageContaining("Another connection");
        assertThat(intake.open()).isZero();
        uploads.take(upload, false).close();
    }

    @Test
    void a_line_that_is_cut_while_the_disk_refuses_what_came_ends() throws Exception {
        var hands = new Hands();
        var line = new Line();
        Context context = vertx.getOrCreateContext();
        Future<Intake.End> taken = taken(context, line, false, hands);
        await(on(context, () -> {
            Objects.requireNonNull(line.handler).handle(Buffer.buffer(new byte[6]));
            return Future.succeededFuture();
        }));
        Future<String> next = on(context, () -> intake.alone(context, key(), () -> Future.succeededFuture("mine")));
        context.runOnContext(later -> context.runOnContext(now -> hands.writes.fail(new IOException("no disk"))));

        assertThatThrownBy(() -> await(taken)).isInstanceOf(Exception.class);
        assertThat(await(next)).isEqualTo("mine");
    }

    @Test
    void whoever_gives_an_upload_of_their_own_another_s_number_cuts_nobody() throws Exception {
        Context context = vertx.getOrCreateContext();
        Promise<String> sending = Promise.promise();
        Future<String> ada = on(context, () -> intake.alone(context, key(), sending::future));
        var forged = new Intake.Key(2, upload.id());
        assertThat(await(on(context, () -> intake.alone(context, forged, () -> Future.succeededFuture("hers")))))
                .isEqualTo("hers");
        assertThat(ada.isComplete()).isFalse();
        sending.complete("his");
        assertThat(await(ada)).isEqualTo("his");
    }
}
