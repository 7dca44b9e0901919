package io.sluice.endpoints.road;

import io.netty.util.AsciiString;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What becomes of headers, by name, however it is written; found without making a text of the name. */
final class Fates {
    enum Fate {
        /** It goes on. */
        KEPT,
        DROPPED,
        /** It decides where the request goes, or is written anew. */
        LOOKED_AT,
        /** Only the long way knows what to do. */
        LONG
    }

    /** Of what a browser says. Anything that could be a body, an upgrade, a credential or a proxy's word goes the long way. */
    static final Fates ASKED = asked();

    /** Of what an app says. */
    static final Fates ANSWERED = answered();

    private record Entry(
            AsciiString name, Fate fate, @Nullable Entry next) {}

    private static final int SLOTS = 256;
    private final @Nullable Entry[] slots = new Entry[SLOTS];

    private Fates(Map<String, Fate> fates) {
        fates.forEach((name, fate) -> {
            int slot = slot(name);
            slots[slot] = new Entry(AsciiString.of(name), fate, slots[slot]);
        });
    }

    private static Fates asked() {
        Map<String, Fate> fates = new HashMap<>();
        Headers.HOP.forEach(name -> fates.put(name, Fate.DROPPED));
        Headers.CLAIMS.forEach(name -> fates.put(name, Fate.LONG));
        for (String name : List.of(
                "upgrade",
                "transfer-encoding",
                "trailer",
                "content-length",
                "expect",
                "authorization",
                "service-worker",
                "http2-settings")) {
            fates.put(name, Fate.LONG);
        }
        for (String name : List.of("host", "cookie", "connection", "origin", "referer", "sec-fetch-site")) {
            fates.put(name, Fate.LOOKED_AT);
        }
        return new Fates(fates);
    }

    private static Fates answered() {
        Map<String, Fate> fates = new HashMap<>();
        Headers.HOP.forEach(name -> fates.put(name, Fate.DROPPED));
        Headers.BEYOND.forEach(name -> fates.put(name, Fate.DROPPED));
        fates.put("refresh", Fate.DROPPED);
        for (String name : List.of("content-length", "location", "set-cookie", "referrer-policy")) {
            fates.put(name, Fate.LOOKED_AT);
        }
        return new Fates(fates);
    }

    private static int slot(CharSequence name) {
        return AsciiString.hashCode(name) & (SLOTS - 1);
    }

    Fate of(CharSequence name) {
        for (Entry entry = slots[slot(name)]; entry != null; entry = entry.next) {
            if (AsciiString.contentEqualsIgnoreCase(entry.name, name)) {
                return entry.fate;
            }
        }
        return Fate.KEPT;
    }
}
