package io.sluice.web;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.streams.ReadStream;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A request on its way through a route: who asks, and what for. */
public final class Call {
    static final ObjectMapper JSON = new ObjectMapper();
    static final String NOTE_COOKIE = "sluice_note";
    private static final Pattern NOTE_KEY = Pattern.compile("note\\.[A-Za-z.]{1,60}");

    private final RoutingContext context;
    private final Passage passage;
    private final Buffer body;

    Call(RoutingContext context, Passage passage, Buffer body) {
        this.context = context;
        this.passage = passage;
        this.body = body;
    }

    /**
     * What the edge found out about a request before any route saw it.
     *
     * @param proxied whether it came through a proxy that the settings trust
     */
    record Passage(
            String id,
            String nonce,
            boolean secure,
            String address,
            boolean proxied,
            @Nullable Caller caller,
            @Nullable Problem refusal,
            List<Cookie> cookies) {}

    /** The caller of a route that nobody passes without signing in. */
    public Caller caller() {
        Caller caller = passage.caller();
        if (caller == null) {
            throw Problem.of(Problem.Kind.UNAUTHENTICATED, "Guest is not allowed to do this operation.");
        }
        return caller;
    }

    public Optional<Caller> callerIfAny() {
        return Optional.ofNullable(passage.caller());
    }

    /** The number that stands in the access log and in the answer, for questions about this request. */
    public String id() {
        return passage.id();
    }

    public boolean secure() {
        return passage.secure();
    }

    /** Where the request came from, seen through the proxies that the settings trust. */
    public String address() {
        return passage.address();
    }

    /** Whether somebody at this machine asks. A proxy that the settings do not name is at this machine, and whoever it speaks for need not be. */
    public boolean isLocal() {
        String address = passage.address();
        boolean loopback = address.startsWith("127.") || address.equals("0:0:0:0:0:0:0:1");
        return loopback && (passage.proxied() || !context.request().headers().contains("X-Forwarded-For"));
    }

    /**
     * Which of the gateway's own listeners was asked.
     *
     * @param tls whether it speaks TLS itself
     */
    public record Door(SocketAddress address, boolean tls) {}

    public Door door() {
        var request = context.request();
        return new Door(request.localAddress(), request.isSSL());
    }

    public String userAgent() {
        return header("User-Agent").orElse("");
    }

    public boolean isApi() {
        return Edge.isApi(context.request().path());
    }

    /** The name and port by which the browser knows the portal. */
    public HostAndPort authority() {
        HostAndPort authority = context.request().authority();
        if (authority == null) {
            throw Problem.invalid("The request does not say which host it is for.");
        }
        return authority;
    }

    public HttpMethod method() {
        return context.request().method();
    }

    /** Path and query as they were sent. */
    public String uri() {
        return context.request().uri();
    }

    public String path() {
        return context.request().path();
    }

    public String path(String parameter) {
        return context.pathParam(parameter);
    }

    public Optional<String> query(String parameter) {
        return Optional.ofNullable(context.queryParams().get(parameter));
    }

    /** All values of a parameter of the query. */
    public List<String> queries(String parameter) {
        return context.queryParams().getAll(parameter);
    }

    /** All values of a header, of which there may be more than one. */
    public List<String> headers(String name) {
        return context.request().headers().getAll(name);
    }

    /** The bytes that stand in the query, each as one character from 0 to 255: names of files are not always text. */
    public Optional<String> queryBytes(String parameter) {
        for (String pair :
                Objects.requireNonNullElse(context.request().query(), "").split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0 && pair.substring(0, equals).equals(parameter)) {
                return Optional.of(bytes(pair.substring(equals + 1)));
            }
        }
        return Optional.empty();
    }

    /** The edge has refused what can not be decoded. */
    private static String bytes(String encoded) {
        byte[] utf8 = encoded.getBytes(StandardCharsets.UTF_8);
        var decoded = new StringBuilder(utf8.length);
        for (int i = 0; i < utf8.length; i++) {
            if (utf8[i] == '%') {
                decoded.append((char) Integer.parseInt(new String(utf8, i + 1, 2, StandardCharsets.US_ASCII), 16));
                i += 2;
            } else {
                decoded.append(utf8[i] == '+' ? ' ' : (char) (utf8[i] & 0xff));
            }
        }
        return decoded.toString();
    }

    /** The body of a route that streams; it waits until somebody resumes it. */
    public ReadStream<Buffer> incoming() {
        return context.request();
    }

    /** Whether nobody hears the answer any more. */
    public boolean isGone() {
        return context.response().closed();
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(context.request().getHeader(name));
    }

    public Optional<String> cookie(String name) {
        return Optional.ofNullable(context.request().getCookie(name)).map(Cookie::getValue);
    }

    /** What the request before this one left to say; null: nothing. */
    public View.@Nullable Note note() {
        String text = cookie(NOTE_COOKIE).orElse("");
        if (text.isEmpty()) {
            return null;
        }
        try {
            JsonNode said = JSON.readTree(Base64.getUrlDecoder().decode(text));
            if (!said.isArray() || !NOTE_KEY.matcher(said.path(1).asText()).matches()) {
                return null;
            }
            List<Object> values = said.valueStream()
                    .skip(2)
                    .map(value -> value.isIntegralNumber() ? (Object) value.asLong() : value.asText())
                    .toList();
            return new View.Note(said.path(0).asBoolean(), said.path(1).asText(), values);
        } catch (IllegalArgumentException | IOException e) { // not of ours: nothing to say
            return null;
        }
    }

    static String written(View.Note note) {
        ArrayNode said = JSON.createArrayNode().add(note.bad()).add(note.key());
        note.values().forEach(said::addPOJO);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json(said).getBytes());
    }

    static Cookie noteCookie(boolean secure, String text, Duration life) {
        return Cookie.cookie(NOTE_COOKIE, text)
                .setPath("/")
                .setSecure(secure)
                .setHttpOnly(true)
                .setSameSite(CookieSameSite.LAX)
                .setMaxAge(life.toSeconds());
    }

    /** The language of the answer: chosen before, or preferred by the browser. */
    public String language() {
        return View.language(
                cookie(View.LANGUAGE_COOKIE).orElse(null),
                header("Accept-Language").orElse(""));
    }

    /** Whether whoever asks is a browser that is to show it. */
    public boolean wantsPage() {
        return Errors.wantsPage(context);
    }

    public Buffer body() {
        return body;
    }

    /** A field of a form, or of a JSON object; empty text counts as absent. */
    public Optional<String> field(String name) {
        JsonNode value = input().get(name);
        return value == null || value.isNull() || value.asText().isEmpty()
                ? Optional.empty()
                : Optional.of(value.isArray() ? value.path(0).asText() : value.asText())
                        .filter(text -> !text.isEmpty());
    }

    /** All values of a form field that may stand several times. */
    public List<String> fields(String name) {
        JsonNode value = input().path(name);
        return value.isArray()
                ? value.valueStream().map(JsonNode::asText).toList()
                : field(name).map(List::of).orElse(List.of());
    }

    /** The body as one object, whether a form, JSON or nothing was sent. */
    public ObjectNode input() {
        if (header("Content-Type").orElse("").startsWith("application/x-www-form-urlencoded")) {
            return checked(form());
        }
        if (body.length() == 0) {
            return JSON.createObjectNode();
        }
        if (json() instanceof ObjectNode object) {
            return object;
        }
        throw Problem.invalid("The body must be a JSON object.");
    }

    public JsonNode json() {
        try {
            return checked(JSON.readTree(body.getBytes()));
        } catch (JacksonException e) {
            var place = e.getLocation();
            throw Problem.invalid("The body is not JSON (line " + place.getLineNr() + ", column " + place.getColumnNr()
                    + "): " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new IllegalStateException("bytes in memory could not be read", e);
        }
    }

    private ObjectNode form() {
        ObjectNode object = JSON.createObjectNode();
        decoded().forEach((name, values) -> {
            if (values.size() == 1) {
                object.put(name, values.getFirst());
            } else {
                values.forEach(object.withArray("/" + name.replace("~", "~0").replace("/", "~1"))::add);
            }
        });
        return object;
    }

    private Map<String, List<String>> decoded() {
        try {
            return new QueryStringDecoder(body.toString(StandardCharsets.UTF_8), StandardCharsets.UTF_8, false, 1000)
                    .parameters();
        } catch (IllegalArgumentException e) {
            throw Problem.invalid("The form can not be decoded. Send a percent sign as %25.");
        }
    }

    /** A NUL is the one character that PostgreSQL does not keep. */
    private static <T extends JsonNode> T checked(T input) {
        if (holdsNul(input)) {
            throw Problem.invalid("The body holds a NUL character. Send it without.");
        }
        return input;
    }

    private static boolean holdsNul(JsonNode node) {
        return node.isTextual()
                ? node.textValue().indexOf('\0') >= 0
                : node.propertyStream().anyMatch(field -> field.getKey().indexOf('\0') >= 0)
                        || node.valueStream().anyMatch(Call::holdsNul);
    }

    static Buffer json(Object value) {
        try {
            return Buffer.buffer(JSON.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer can not be written as JSON: " + value.getClass(), e);
        }
    }

    /** Reads a whole body, if it is small and quick enough. */
    static Future<Buffer> receive(Vertx vertx, HttpServerRequest request, int limit, int seconds) {
        Buffer received = Buffer.buffer();
        Promise<Buffer> whole = Promise.promise();
        long timer = vertx.setTimer(
                seconds * 1000L,
                fired -> whole.tryFail(Problem.of(
                        Problem.Kind.TOO_SLOW,
                        "The body did not arrive within " + seconds + " seconds. Send it again.")));
        request.handler(piece -> {
            if (received.length() + piece.length() > limit) {
                whole.tryFail(Problem.of(
                        Problem.Kind.TOO_LARGE,
                        "The body is larger than the " + limit + " bytes that are allowed here."));
            } else if (!whole.future().isComplete()) {
                received.appendBuffer(piece);
            }
        });
        request.exceptionHandler(whole::tryFail);
        request.endHandler(ended -> whole.tryComplete(received));
        request.resume();
        return whole.future().onComplete(read -> vertx.cancelTimer(timer));
    }

    RoutingContext context() {
        return context;
    }

    Passage passage() {
        return passage;
    }
}
