package io.sluice.telemetry.notices;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Locale;

/**
 * A letter as it goes over the wire.
 *
 * @param id by which a reader's program knows that it is the same, should it come twice
 */
record Mail(String from, String to, String subject, String text, String id, Instant at) {
    private static final int LINE = 76;
    /** So that a word, encoded, is not longer than 75 letters. */
    private static final int WORD = 11;

    /** Lines that end as the protocol wants it, none of which begins with a dot or has a letter beyond ASCII. */
    String lines() {
        return String.join(
                "\r\n",
                "Date: " + DateTimeFormatter.RFC_1123_DATE_TIME.format(at.atZone(ZoneOffset.UTC)),
                "From: Sluice <" + from + ">",
                "To: <" + to + ">",
                "Subject: " + encoded(subject),
                "Message-ID: <" + id + "@"
                        + from.substring(from.indexOf('@') + 1).toLowerCase(Locale.ROOT) + ">",
                "Auto-Submitted: auto-generated",
                "MIME-Version: 1.0",
                "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: base64",
                "",
                Base64.getMimeEncoder(LINE, new byte[] {'\r', '\n'})
                        .encodeToString(text.replaceAll("\r?\n", "\r\n").getBytes(StandardCharsets.UTF_8)),
                "");
    }

    private static String encoded(String subject) {
        var words = new StringBuilder();
        int[] letters =
                subject.codePoints().map(letter -> letter < ' ' ? ' ' : letter).toArray();
        for (int from = 0; from < letters.length; from += WORD) {
            String piece = new String(letters, from, Math.min(WORD, letters.length - from));
            words.append(from == 0 ? "" : "\r\n ")
                    .append("=?UTF-8?B?")
                    .append(Base64.getEncoder().encodeToString(piece.getBytes(StandardCharsets.UTF_8)))
                    .append("?=");
        }
        return words.toString();
    }
}
