package io.sluice.endpoints;

import io.sluice.endpoints.recipes.Recipe;
import io.sluice.endpoints.road.Names;
import io.sluice.engines.Engine;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Goes the way to an endpoint hop by hop, and stops at the first that fails. */
final class Checks {
    private static final Pattern ASSET =
            Pattern.compile("(?:src|href)=[\"']?((?!https?:|//|data:|#)[^\"' >]+\\.(?:js|css|png|svg|ico)[^\"' >]*)");

    /** @param detail what was found, or what is wrong; of a step that failed what to look at */
    record Step(String step, boolean ok, String detail) {}

    private final Vertx vertx;
    private final Engine engine;
    private final Probes probes;
    private final Names names;

    Checks(Vertx vertx, Engine engine, Probes probes, Names names) {
        this.vertx = vertx;
        this.engine = engine;
        this.probes = probes;
        this.names = names;
    }

    Future<List<Step>> check(Endpoint endpoint, Recipe recipe) {
        Endpoint.Life life = endpoint.life();
        List<Step> steps = new ArrayList<>();
        if (!endpoint.wanted() || life == null) {
            steps.add(new Step(
                    "task", false, "The endpoint is " + endpoint.state().key() + ": no task runs for it."));
            return Future.succeededFuture(steps);
        }
        var headers = Steps.headers(recipe, life);
        return engine.reach(life.run(), life.port())
                .compose(address -> {
                    steps.add(new Step("task", true, life.run()));
                    boolean listens = address.isPresent();
                    steps.add(new Step(
                            "port",
                            listens,
                            listens
                                    ? address.get().host() + ":" + life.port()
                                    : "Nothing inside of the task listens at port " + life.port() + "."));
                    return listens
                            ? answers(steps, address.get(), recipe, headers)
                                    .compose(go -> go ? name(steps, endpoint) : Future.succeededFuture())
                            : Future.succeededFuture();
                })
                .recover(failure -> {
                    steps.add(new Step("task", false, String.valueOf(failure.getMessage())));
                    return Future.succeededFuture();
                })
                .map(done -> List.copyOf(steps));
    }

    private Future<Boolean> answers(
            List<Step> steps, SocketAddress address, Recipe recipe, Map<String, String> headers) {
        return probes.page(address, recipe.open(), headers)
                .compose(page -> {
                    boolean good = page.status() < 400;
                    steps.add(new Step("page", good, "GET " + recipe.open() + " answers " + page.status()));
                    return good
                            ? asset(steps, address, recipe, headers, page.text())
                                    .compose(went -> went
                                            ? socket(steps, address, recipe, headers)
                                            : Future.succeededFuture(false))
                            : Future.succeededFuture(false);
                })
                .recover(failure -> {
                    steps.add(new Step("page", false, "GET " + recipe.open() + ": " + failure.getMessage()));
                    return Future.succeededFuture(false);
                });
    }

    /** One of those that the page names. */
    private Future<Boolean> asset(
            List<Step> steps, SocketAddress address, Recipe recipe, Map<String, String> headers, String page) {
        Matcher named = ASSET.matcher(page);
        if (!named.find()) {
            return Future.succeededFuture(true);
        }
        String open = recipe.open().replaceFirst("\\?.*", "");
        String asset = named.group(1).replace("&amp;", "&");
        String path = asset.startsWith("/") ? asset : open.substring(0, open.lastIndexOf('/') + 1) + asset;
        return probes.status(address, path, headers).otherwise(0).map(status -> {
            steps.add(
                    new Step("asset", status == 200, "GET " + path + " answers " + (status == 0 ? "nothing" : status)));
            return status == 200;
        });
    }

    private Future<Boolean> socket(
            List<Step> steps, SocketAddress address, Recipe recipe, Map<String, String> headers) {
        String path = recipe.socket();
        if (path == null) {
            return Future.succeededFuture(true);
        }
        return probes.socket(address, path, headers)
                .map(opened -> new Step("socket", true, "WebSocket " + path + " opens"))
                .otherwise(failure -> new Step("socket", false, "WebSocket " + path + ": " + failure.getMessage()))
                .map(step -> {
                    steps.add(step);
                    return step.ok();
                });
    }

    /** Whether the name leads anywhere; what only browsers know to lead here is taken for good. */
    private Future<Void> name(List<Step> steps, Endpoint endpoint) {
        if (names.suffix().isEmpty() || names.suffix().equals(Names.LOCAL)) {
            return Future.succeededFuture();
        }
        String name = endpoint.id() + "." + names.suffix();
        return vertx.executeBlocking(() -> resolved(name), false).map(step -> {
            steps.add(step);
            return null;
        });
    }

    private static Step resolved(String name) {
        try {
            return new Step("name", true, name + " leads to " + InetAddress.getAllByName(name)[0].getHostAddress());
        } catch (UnknownHostException e) {
            return new Step(
                    "name", false, name + " leads nowhere: a DNS record for all names beneath the domain is missing.");
        }
    }
}
