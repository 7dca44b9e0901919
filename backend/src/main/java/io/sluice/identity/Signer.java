package io.sluice.identity;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.PubSecKeyOptions;
import io.vertx.ext.auth.authentication.TokenCredentials;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Signs and reads tokens: one algorithm, and a key and an audience of its own for every purpose. */
final class Signer {
    static final int KEY_BYTES = 32;
    private static final String ALGORITHM = "HS256";
    private static final String ISSUER = "sluice";
    private static final int LONGEST = 2_000;
    private static final long LEEWAY_SECONDS = 30;
    /** A clock that was ahead when a token was made, here or at the database, may be set right by so much. */
    private static final long CORRECTION_SECONDS = 24 * 60 * 60;

    /** What a token is for. None is accepted for another. */
    enum Purpose {
        /** In a browser's cookie, for minutes. */
        SESSION,
        /** The answer to a sign-in over the API. */
        LOGIN,
        /** Names an application token in a list; opens nothing. */
        LISTING
    }

    /** A token that is not ours, not for this purpose, or over. */
    static final class Invalid extends RuntimeException {
        private static final long serialVersionUID = 1;

        Invalid() {
            super("token not accepted", null, false, false);
        }
    }

    private final Map<Purpose, JWTAuth> signatures = new EnumMap<>(Purpose.class);
    private final byte[] key;
    private final String header;

    Signer(Vertx vertx, byte[] key) {
        this.key = key.clone();
        for (Purpose purpose : Purpose.values()) {
            signatures.put(purpose, signature(vertx, mac(purpose.name())));
        }
        String signed = sign(Purpose.SESSION, new JsonObject(), Instant.EPOCH, Instant.EPOCH);
        this.header = signed.substring(0, signed.indexOf('.') + 1);
    }

    /** The same text for the same arguments, so that a token can be shown again without being kept. */
    String sign(Purpose purpose, JsonObject claims, Instant issued, Instant expires) {
        JsonObject all = claims.copy()
                .put("iss", ISSUER)
                .put("aud", audience(purpose))
                .put("iat", issued.getEpochSecond())
                .put("nbf", issued.getEpochSecond())
                .put("exp", expires.getEpochSecond());
        return signatures(purpose)
                .generateToken(all, new JWTOptions().setAlgorithm(ALGORITHM).setNoTimestamp(true));
    }

    /** The claims of a token of this purpose; fails with {@link Invalid} for every other text. */
    Future<JsonObject> read(Purpose purpose, String token) {
        // our own header only, byte for byte: nothing in a token may choose how it is checked
        if (token.length() > LONGEST || !token.startsWith(header)) {
            return Future.failedFuture(new Invalid());
        }
        return Future.succeededFuture(token)
                .compose(text -> signatures(purpose).authenticate(new TokenCredentials(text)))
                .map(user -> checked(purpose, claims(token)))
                .recover(whatever -> Future.failedFuture(new Invalid()));
    }

    /** A keyed digest, for what must be made the same way by every gateway and by nobody else. */
    byte[] mac(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is kept instead of a secret of 128 random bits or more. */
    static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static String random(int bytes) {
        byte[] random = new byte[bytes];
        new SecureRandom().nextBytes(random);
        return encode(random);
    }

    static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private JWTAuth signatures(Purpose purpose) {
        JWTAuth signature = signatures.get(purpose);
        if (signature == null) {
            throw new IllegalStateException("no key for " + purpose);
        }
        return signature;
    }

    private static JWTAuth signature(Vertx vertx, byte[] key) {
        return JWTAuth.create(
                vertx,
                new JWTAuthOptions()
                        .addPubSecKey(
                                new PubSecKeyOptions().setAlgorithm(ALGORITHM).setBuffer(Buffer.buffer(key)))
                        // times are checked below, with their types
                        .setJWTOptions(new JWTOptions().setAlgorithm(ALGORITHM).setIgnoreExpiration(true)));
    }

    private static JsonObject claims(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            throw new Invalid();
        }
        return new JsonObject(Buffer.buffer(Base64.getUrlDecoder().decode(parts[1])));
    }

    private static JsonObject checked(Purpose purpose, JsonObject claims) {
        long now = Instant.now().getEpochSecond();
        boolean good = ISSUER.equals(claims.getValue("iss"))
                && audience(purpose).equals(claims.getValue("aud"))
                && seconds(claims, "exp") + LEEWAY_SECONDS > now
                && seconds(claims, "nbf") - CORRECTION_SECONDS <= now
                && seconds(claims, "iat") - CORRECTION_SECONDS <= now
                && claims.getValue("jti") instanceof String;
        if (!good) {
            throw new Invalid();
        }
        return claims;
    }

    private static long seconds(JsonObject claims, String name) {
        return switch (claims.getValue(name)) {
            case Integer seconds -> seconds;
            case Long seconds -> seconds;
            case null, default -> throw new Invalid();
        };
    }

    private static String audience(Purpose purpose) {
        return switch (purpose) {
            case SESSION -> "sluice-session";
            case LOGIN -> "sluice-api";
            case LISTING -> "sluice-listing";
        };
    }

    /**
     * What a browser keeps to get its next pass: the session, a secret, and our mark, so that only texts that we once gave out can count as
     * copied. The next secret follows from the one before, so that requests beside each other all receive the same one.
     */
    record Refresh(String session, String secret, String mark) {
        private static final int SECRET_BYTES = 20;

        static Refresh first(Signer signer) {
            return marked(Signer.random(16), Signer.random(SECRET_BYTES), signer);
        }

        static @Nullable Refresh parse(String text, Signer signer) {
            String[] parts = text.split("\\.", -1);
            if (parts.length != 3 || text.length() > 200) {
                return null;
            }
            Refresh ours = marked(parts[0], parts[1], signer);
            boolean same = MessageDigest.isEqual(
                    ours.mark.getBytes(StandardCharsets.UTF_8), parts[2].getBytes(StandardCharsets.UTF_8));
            return same ? ours : null;
        }

        Refresh next(Signer signer) {
            byte[] next = signer.mac("next " + session + " " + secret);
            return marked(session, Signer.encode(Arrays.copyOf(next, SECRET_BYTES)), signer);
        }

        byte[] hash() {
            return Signer.digest(session + "." + secret);
        }

        String text() {
            return session + "." + secret + "." + mark;
        }

        private static Refresh marked(String session, String secret, Signer signer) {
            byte[] mark = signer.mac("mark " + session + " " + secret);
            return new Refresh(session, secret, Signer.encode(Arrays.copyOf(mark, 16)));
        }

        @Override
        public String toString() {
            return "Refresh[" + session + "]";
        }
    }
}
