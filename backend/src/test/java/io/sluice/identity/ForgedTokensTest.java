package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForgedTokensTest {
    private static final long A_DAY = 24 * 60 * 60;
    private static final String OURS = "{\"typ\":\"JWT\",\"alg\":\"HS256\"}";
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static String token;
    private static byte[] key;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
        token = gateway.browser()
                .json(
                        HttpMethod.POST,
                        "/api/v2/authn/basic/login",
                        new JsonObject().put("username", "admin").put("password", Gateway.PASSWORD))
                .bodyAsJsonObject()
                .getString("token");
        // who knows the key can sign anything: what follows shows that even then only the right words are accepted
        byte[] shared = new SignInStore(database.database())
                .sharedKey(new byte[Signer.KEY_BYTES])
                .await();
        key = new Signer(vertx, shared).mac(Signer.Purpose.LOGIN.name());
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    private static String encoded(String text) {
        return Signer.encode(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String part) {
        return new String(java.util.Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }

    private static String sign(String algorithm, byte[] key, String header, String claims) {
        try {
            String text = encoded(header) + "." + encoded(claims);
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return text + "." + Signer.encode(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String signed(JsonObject claims) {
        return sign("HmacSHA256", key, OURS, claims.encode());
    }

    private static JsonObject claims() {
        return new JsonObject(decoded(token.split("\\.")[1]));
    }

    private static String[] parts() {
        return token.split("\\.");
    }

    static Stream<Map.Entry<String, String>> forged() {
        var cases = new LinkedHashMap<String, String>();
        String claims = claims().encode();
        long now = Instant.now().getEpochSecond();
        headers().forEach((name, header) -> {
            cases.put(name + ", signature kept", encoded(header) + "." + parts()[1] + "." + parts()[2]);
            cases.put(name + ", signed with our key", sign("HmacSHA256", key, header, claims));
            cases.put(name + ", unsigned", encoded(header) + "." + parts()[1] + ".");
        });
        cases.put("no signature", parts()[0] + "." + parts()[1] + ".");
        cases.put("two parts", parts()[0] + "." + parts()[1]);
        cases.put("four parts", token + "." + parts()[2]);
        cases.put("one part", parts()[0]);
        cases.put("only dots", "..");
        cases.put("not base64", parts()[0] + ".!!!." + parts()[2]);
        cases.put("not JSON", sign("HmacSHA256", key, OURS, "not json"));
        cases.put("claims are a list", sign("HmacSHA256", key, OURS, "[]"));
        cases.put("zero signature", parts()[0] + "." + parts()[1] + "." + Signer.encode(new byte[32]));
        cases.put("short signature", parts()[0] + "." + parts()[1] + "." + parts()[2].substring(0, 20));
        cases.put("another key", sign("HmacSHA256", new byte[32], OURS, claims));
        cases.put("empty-ish key", sign("HmacSHA256", new byte[1], OURS, claims));
        cases.put("HS512 with our key under our header", sign("HmacSHA512", key, OURS, claims));
        cases.put(
                "claims changed",
                parts()[0] + "." + encoded(claims().put("username", "root").encode()) + "." + parts()[2]);
        cases.put("expired", signed(claims().put("exp", now - 60)));
        cases.put("expired in milliseconds of 1970", signed(claims().put("exp", 1)));
        cases.put("exp as text", signed(claims().put("exp", "" + (now + 600))));
        cases.put("exp as fraction", signed(claims().put("exp", now + 600.5)));
        cases.put("exp as list", signed(claims().put("exp", new JsonArray().add(now + 600))));
        cases.put("exp beyond long", sign("HmacSHA256", key, OURS, claims.replaceAll("\"exp\":\\d+", "\"exp\":1e400")));
        cases.put("exp null", signed(claims().putNull("exp")));
        cases.put("without exp", signed(without("exp")));
        cases.put("not yet", signed(claims().put("nbf", now + A_DAY + 600)));
        cases.put("nbf as text", signed(claims().put("nbf", "0")));
        cases.put("without nbf", signed(without("nbf")));
        cases.put("issued in the future", signed(claims().put("iat", now + A_DAY + 600)));
        cases.put("without iat", signed(without("iat")));
        cases.put("wrong issuer", signed(claims().put("iss", "sluicegate")));
        cases.put("without issuer", signed(without("iss")));
        cases.put("wrong audience", signed(claims().put("aud", "sluice-session")));
        cases.put("audience of the list", signed(claims().put("aud", "sluice-listing")));
        cases.put(
                "two audiences",
                signed(claims().put("aud", new JsonArray().add("sluice-api").add("other"))));
        cases.put("without audience", signed(without("aud")));
        cases.put("unknown session", signed(claims().put("jti", Signer.random(16))));
        cases.put("session as number", signed(claims().put("jti", 1)));
        cases.put("session injects SQL", signed(claims().put("jti", "' OR '1'='1")));
        cases.put("without session", signed(without("jti")));
        cases.put(
                "of another purpose",
                gateway.browser().signIn("admin", Gateway.PASSWORD).cookies.get("sluice_session"));
        cases.put("long", signed(claims().put("filler", "x".repeat(8_000))));
        cases.put("empty", "");
        cases.put("a word", "token");
        cases.put("an application token that is none", "sluice_" + "0".repeat(40));
        cases.put("an empty application token", "sluice_");
        return cases.entrySet().stream();
    }

    private static JsonObject without(String claim) {
        JsonObject claims = claims();
        claims.remove(claim);
        return claims;
    }

    private static Map<String, String> headers() {
        var headers = new LinkedHashMap<String, String>();
        headers.put("alg none", "{\"typ\":\"JWT\",\"alg\":\"none\"}");
        headers.put("alg NoNe", "{\"typ\":\"JWT\",\"alg\":\"NoNe\"}");
        headers.put("alg empty", "{\"typ\":\"JWT\",\"alg\":\"\"}");
        headers.put("alg RS256", "{\"typ\":\"JWT\",\"alg\":\"RS256\"}");
        headers.put("alg ES256", "{\"typ\":\"JWT\",\"alg\":\"ES256\"}");
        headers.put("without alg", "{\"typ\":\"JWT\"}");
        headers.put("kid of a file", "{\"typ\":\"JWT\",\"alg\":\"HS256\",\"kid\":\"../../dev/null\"}");
        headers.put("jku", "{\"typ\":\"JWT\",\"alg\":\"HS256\",\"jku\":\"http://127.0.0.1/keys\"}");
        headers.put("jwk", "{\"typ\":\"JWT\",\"alg\":\"HS256\",\"jwk\":{\"kty\":\"oct\",\"k\":\"AA\"}}");
        headers.put("x5c", "{\"typ\":\"JWT\",\"alg\":\"HS256\",\"x5c\":[\"AA\"]}");
        headers.put("crit", "{\"typ\":\"JWT\",\"alg\":\"HS256\",\"crit\":[\"exp\"]}");
        headers.put("another type", "{\"typ\":\"JWE\",\"alg\":\"HS256\"}");
        return headers;
    }

    @Test
    void there_are_forty_forgeries_and_more() {
        assertThat(forged()).hasSizeGreaterThan(75);
    }

    @Test
    void the_token_itself_is_accepted() {
        var api = gateway.browser();
        api.headers.set("Authorization", "Bearer " + token);
        assertThat(api.get("/api/v2/tokens/check").statusCode()).isEqualTo(200);
        api.headers.set("Authorization", "Bearer " + signed(claims()));
        assertThat(api.get("/api/v2/tokens/check").bodyAsJsonObject().getString("username"))
                .isEqualTo("admin");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forged")
    void a_forged_bearer_is_refused(Map.Entry<String, String> forgery) {
        var api = gateway.browser();
        api.headers.set("Authorization", "Bearer " + forgery.getValue());
        var answer = api.get("/api/v2/tokens/check");
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.bodyAsJsonObject().getString("code")).isEqualTo("UnauthorizedUserError");
        assertThat(answer.bodyAsJsonObject().getString("message")).isEqualTo("Your token is invalid.");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forged")
    void a_forged_cookie_is_refused(Map.Entry<String, String> forgery) {
        if (forgery.getKey().equals("of another purpose")) {
            return; // in a cookie it is the right one
        }
        var browser = gateway.browser();
        browser.cookies.put("sluice_session", forgery.getValue());
        assertThat(browser.get("/api/v2/tokens/check").statusCode()).isEqualTo(401);
    }

    @Test
    void a_bearer_of_a_megabyte_is_refused_at_once() {
        var api = gateway.browser();
        api.headers.set("Authorization", "Bearer " + "a".repeat(1 << 20));
        assertThat(api.get("/api/v2/tokens/check").statusCode()).isIn(400, 431);
    }

    @Test
    void a_login_token_opens_nothing_in_a_cookie() {
        var browser = gateway.browser();
        browser.cookies.put("sluice_session", token);
        assertThat(browser.get("/api/v2/tokens/check").statusCode()).isEqualTo(401);
    }

    @Test
    void a_name_in_a_list_opens_nothing() {
        var api = gateway.browser();
        api.headers.set("Authorization", "Bearer " + token);
        var made = api.json(HttpMethod.POST, "/api/v2/tokens/application", new JsonObject());
        String text = made.bodyAsJsonObject().getString("token");
        String listed = api.get("/api/v2/tokens").bodyAsJsonObject().getJsonArray("tokens").stream()
                .map(Object::toString)
                .filter(other -> decoded(other.split("\\.")[1]).contains("\"application\":true"))
                .findFirst()
                .orElseThrow();
        assertThat(listed).doesNotContain(text);
        api.headers.set("Authorization", "Bearer " + listed);
        assertThat(api.get("/api/v2/tokens/check").statusCode()).isEqualTo(401);
    }
}
