package io.sluice.endpoints.checks;

import io.sluice.endpoints.checks.Check.Finding;
import io.sluice.endpoints.checks.Check.Hop;
import io.sluice.endpoints.checks.Check.Step;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Goes to one endpoint, first from the task's side, then from outside by the gateway's own listener, and stops where it does not get on. */
final class Walk {
    private static final Pattern ASSET =
            Pattern.compile("(?:src|href)=[\"']?((?!https?:|//|data:|#)[^\"' >]+\\.(?:js|css|png|svg|ico)[^\"' >]*)");
    private static final String OWN_ECHO = "/.sluice/echo";

    private final Vertx vertx;
    private final Probes probes;
    private final Subject subject;
    private final int silence;
    private final Consumer<String> come;
    private final BiFunction<List<Step>, Boolean, Future<Boolean>> tell;
    private final List<Step> steps = new ArrayList<>();
    private final Promise<Void> spoken = Promise.promise();
    private final Promise<Optional<Hop>> over = Promise.promise();
    private @Nullable Entrance entrance;

    /**
     * @param come is told with what it was let in
     * @param tell is told of every step, and whether it was the last
     */
    Walk(
            Vertx vertx,
            Probes probes,
            Subject subject,
            int silence,
            Consumer<String> come,
            BiFunction<List<Step>, Boolean, Future<Boolean>> tell) {
        this.vertx = vertx;
        this.probes = probes;
        this.subject = subject;
        this.silence = silence;
        this.come = come;
        this.tell = tell;
    }

    /** Ends a walk: there is no way on. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    /** The hop that failed, or none. */
    Future<Optional<Hop>> over() {
        return over.future();
    }

    /** Of the pass with which it was let in. */
    Optional<String> token() {
        return Optional.ofNullable(entrance).map(Entrance::token);
    }

    /** Ends when only the silence is left. */
    Future<Void> begin() {
        trying(Hop.TASK)
                .compose(begun -> fromWithin())
                .compose(within -> fromOutside())
                .recover(
                        failure -> failure instanceof Stopped ? Future.succeededFuture() : Future.failedFuture(failure))
                .eventually(() -> tell.apply(List.copyOf(steps), true))
                .onSuccess(told -> over.complete(steps.stream()
                        .filter(step -> Boolean.FALSE.equals(step.ok()))
                        .map(Step::hop)
                        .findFirst()))
                .onFailure(over::fail)
                .onComplete(ended -> spoken.tryComplete());
        return spoken.future();
    }

    private Future<Void> fromWithin() {
        return subject.place()
                .get()
                .recover(failure -> this.<Optional<SocketAddress>>stop(Hop.TASK, Finding.ENGINE, reason(failure)))
                .compose(place -> went(Hop.TASK, Finding.RUNS, subject.run())
                        .compose(told -> trying(Hop.PORT))
                        .compose(told -> place.isEmpty()
                                ? this.<SocketAddress>stop(Hop.PORT, Finding.SILENT, "" + subject.port())
                                : Future.succeededFuture(place.get())))
                .compose(place -> went(Hop.PORT, Finding.LISTENS, place.host() + ":" + subject.port())
                        .compose(told -> trying(Hop.APP))
                        .compose(told -> probes.status(place, subject.page(), subject.headers())))
                .recover(failure -> failure instanceof Stopped
                        ? Future.failedFuture(failure)
                        : stop(Hop.APP, Finding.NO_ANSWER, subject.page(), reason(failure)))
                .compose(status -> answered(Hop.APP, subject.page(), status));
    }

    private Future<Void> fromOutside() {
        return name().compose(named -> trying(Hop.DOOR))
                .compose(told -> subject.ticket().get())
                .recover(failure -> failure instanceof Stopped
                        ? Future.failedFuture(failure)
                        : this.<String>stop(Hop.DOOR, Finding.NOT_LET_IN, subject.id(), reason(failure)))
                .compose(this::enter)
                .compose(entered -> trying(Hop.PAGE))
                .compose(told -> page())
                .compose(this::asset)
                .compose(told -> socket());
    }

    /** Whether the name leads anywhere. */
    private Future<Void> name() {
        String name = subject.name();
        if (name == null) {
            return Future.succeededFuture();
        }
        return trying(Hop.NAME)
                .compose(told -> vertx.executeBlocking(() -> resolved(name), false))
                .compose(place -> place.isEmpty()
                        ? stop(Hop.NAME, Finding.NOWHERE, name)
                        : went(Hop.NAME, Finding.LEADS, name, place));
    }

    private static String resolved(String name) {
        try {
            return InetAddress.getAllByName(name)[0].getHostAddress();
        } catch (UnknownHostException e) {
            return "";
        }
    }

    private Future<Void> enter(String address) {
        Entrance fresh = Entrance.of(address, subject);
        return probes.enter(fresh)
                .recover(failure ->
                        this.<Entrance>stop(Hop.DOOR, Finding.NOT_LET_IN, fresh.authority(), reason(failure)))
                .compose(entered -> {
                    entrance = entered;
                    String token = entered.token();
                    if (token == null) {
                        return stop(Hop.DOOR, Finding.NOT_LET_IN, fresh.authority(), "" + entered.status());
                    }
                    come.accept(token);
                    return went(Hop.DOOR, Finding.LET_IN, fresh.authority());
                });
    }

    private Entrance entrance() {
        Entrance entered = entrance;
        if (entered == null) {
            throw new IllegalStateException("not let in");
        }
        return entered;
    }

    private Future<String> page() {
        Entrance way = entrance();
        return probes.page(way, way.path(subject.page()))
                .recover(
                        failure -> this.<Probes.Page>stop(Hop.PAGE, Finding.NO_ANSWER, subject.page(), reason(failure)))
                .compose(page ->
                        answered(Hop.PAGE, subject.page(), page.status()).map(page.text()));
    }

    /** One of those that the page names. */
    private Future<Void> asset(String page) {
        Matcher named = ASSET.matcher(page);
        if (!named.find()) {
            return went(Hop.ASSET, Finding.NO_ASSET);
        }
        Entrance way = entrance();
        String open = subject.page().replaceFirst("\\?.*", "");
        String asset = named.group(1).replace("&amp;", "&");
        String path = asset.startsWith("/") ? asset : open.substring(0, open.lastIndexOf('/') + 1) + asset;
        return trying(Hop.ASSET)
                .compose(told -> probes.page(way, way.path(path)))
                .recover(failure -> failure instanceof Stopped
                        ? Future.failedFuture(failure)
                        : this.<Probes.Page>stop(Hop.ASSET, Finding.NO_ANSWER, path, reason(failure)))
                .compose(answer -> answered(Hop.ASSET, path, answer.status()));
    }

    /** Whatever the app speaks, what it is pinged with has to come back. */
    private Future<Void> socket() {
        Entrance way = entrance();
        String known = subject.socket();
        String path = known == null ? OWN_ECHO : known;
        return trying(Hop.SOCKET)
                .compose(told -> probes.open(way, way.path(path)))
                .compose(socket -> probes.echo(socket).map(socket))
                .recover(failure -> this.<WebSocket>stop(Hop.SOCKET, Finding.NO_SOCKET, path, reason(failure)))
                .compose(socket -> (known == null
                                ? went(Hop.SOCKET, Finding.OWN_ECHO)
                                : went(Hop.SOCKET, Finding.ECHOES, path))
                        .compose(told -> silence(socket))
                        .eventually(() -> socket.close().otherwiseEmpty()));
    }

    private Future<Void> silence(WebSocket socket) {
        if (silence == 0) {
            return Future.succeededFuture();
        }
        return trying(Hop.SILENCE, Finding.WAITS, "" + silence)
                .onSuccess(told -> spoken.tryComplete())
                .compose(told -> vertx.timer(silence, TimeUnit.SECONDS))
                .compose(silent -> probes.echo(socket))
                .recover(failure -> stop(Hop.SILENCE, Finding.CUT, "" + silence, reason(failure)))
                .compose(echoed -> went(Hop.SILENCE, Finding.STAYS, "" + silence));
    }

    private Future<Void> answered(Hop hop, String path, int status) {
        return status < 400
                ? went(hop, Finding.ANSWERS, path, "" + status)
                : stop(hop, Finding.ANSWERS_BADLY, path, "" + status);
    }

    private Future<Void> trying(Hop hop) {
        return trying(hop, Finding.TRYING);
    }

    private Future<Void> trying(Hop hop, Finding finding, String... values) {
        steps.add(new Step(hop, null, finding, List.of(values)));
        return tell.apply(List.copyOf(steps), false).mapEmpty();
    }

    private Future<Void> went(Hop hop, Finding finding, String... values) {
        put(new Step(hop, true, finding, List.of(values)));
        return Future.succeededFuture();
    }

    private <T> Future<T> stop(Hop hop, Finding finding, String... values) {
        put(new Step(hop, false, finding, List.of(values)));
        return Future.failedFuture(new Stopped());
    }

    private void put(Step step) {
        if (!steps.isEmpty() && steps.getLast().ok() == null) {
            steps.removeLast();
        }
        steps.add(step);
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
