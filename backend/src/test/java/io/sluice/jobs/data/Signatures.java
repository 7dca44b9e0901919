package io.sluice.jobs.data;

import io.sluice.files.stores.AccessKey;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Looks at requests as stores do that take one key, signed by version 4 for one region. Written after Amazon's description and not with its client. */
final class Signatures {
    private static final String KIND = "AWS4-HMAC-SHA256";
    private static final Pattern SIGNED = Pattern.compile(
            KIND
                    + " Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})");
    private static final Duration SKEW = Duration.ofMinutes(15);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final AccessKey key;
    private final String region;

    Signatures(AccessKey key, String region) {
        this.key = key;
        this.region = region;
    }

    /** The code with which it is refused; empty: it is right. */
    String fault(Asking asking, Instant now) {
        Matcher signed = SIGNED.matcher(asking.header("authorization"));
        if (!signed.matches()) {
            return asking.header("authorization").isEmpty() ? "AccessDenied" : "AuthorizationHeaderMalformed";
        }
        String stamp = asking.header("x-amz-date");
        if (!signed.group(1).equals(key.id())) {
            return "InvalidAccessKeyId";
        }
        if (!signed.group(3).equals(region) || !stamp.startsWith(signed.group(2))) {
            return "AuthorizationHeaderMalformed";
        }
        if (Duration.between(Instant.from(STAMP.parse(stamp)), now).abs().compareTo(SKEW) > 0) {
            return "RequestTimeTooSkewed";
        }
        List<String> names = Arrays.asList(signed.group(4).split(";"));
        if (asking.headers().keySet().stream()
                .anyMatch(name -> (name.startsWith("x-amz-") || name.equals("host")) && !names.contains(name))) {
            return "AccessDenied"; // somebody on the way could have written it
        }
        return MessageDigest.isEqual(ascii(signature(asking, stamp, names)), ascii(signed.group(5)))
                ? ""
                : "SignatureDoesNotMatch";
    }

    private String signature(Asking asking, String stamp, List<String> names) {
        String day = stamp.substring(0, 8);
        String said = String.join(
                "\n",
                KIND,
                stamp,
                String.join("/", day, region, "s3", "aws4_request"),
                hex(sha256(canonical(asking, names))));
        byte[] seal = ascii("AWS4" + key.secret());
        for (String step : List.of(day, region, "s3", "aws4_request", said)) {
            seal = mac(seal, step);
        }
        return hex(seal);
    }

    private static String canonical(Asking asking, List<String> names) {
        String[] target = asking.target().split("\\?", 2);
        String headers = names.stream()
                .map(name -> name + ":"
                        + asking.headers().getOrDefault(name, List.of()).stream()
                                .map(value -> value.strip().replaceAll(" +", " "))
                                .collect(Collectors.joining(","))
                        + "\n")
                .collect(Collectors.joining());
        return String.join(
                "\n",
                asking.method(),
                written(target[0].replace("+", "%2B"), "/"),
                target.length == 1 ? "" : query(target[1]),
                headers,
                String.join(";", names),
                asking.header("x-amz-content-sha256"));
    }

    private static String query(String query) {
        return Arrays.stream(query.split("&"))
                .map(one -> one.split("=", 2))
                .map(one -> written(one[0], "") + "=" + (one.length == 1 ? "" : written(one[1], "")))
                .sorted()
                .collect(Collectors.joining("&"));
    }

    /** In the one way in which it is signed, however it came. */
    private static String written(String text, String kept) {
        var all = new StringBuilder();
        for (byte one : URLDecoder.decode(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8)) {
            char as = (char) (one & 0xff);
            boolean plain = as < 128 && (Character.isLetterOrDigit(as) || "-._~".indexOf(as) >= 0);
            all.append(
                    plain || kept.indexOf(as) >= 0
                            ? String.valueOf(as)
                            : String.format(Locale.ROOT, "%%%02X", (int) as));
        }
        return all.toString();
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] mac(byte[] seal, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(seal, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
