package io.sluice.identity;

import java.util.ArrayList;
import java.util.List;

/** What strangers write into {@code next} to lead somebody away, and what pages of ours write. */
public final class Redirects {
    private static final List<String> HOSTS = List.of(
            "evil.example",
            "127.0.0.1:81",
            "evil%E3%80%82example",
            "[::1]",
            "1249763844",
            "evil.example:443/x",
            "evil.example/..",
            "evil.example%2f@ours",
            "user:word@evil.example",
            "0x7f.1",
            "[::ffff:127.0.0.1]",
            "xn--evl-tma.example",
            "evil.example?ours",
            "evil.example#ours",
            "ours.evil.example",
            "ours%00.evil.example");
    private static final List<String> STARTS = List.of(
            "//",
            "///",
            "////",
            "/\\",
            "\\/",
            "\\\\",
            "/\t/",
            "/\n/",
            "/\r/",
            "\t//",
            " //",
            "/%09/",
            "/%0d/",
            "/%2f",
            "/%5c",
            "/./\\",
            "//\\",
            "/;//",
            "/..//",
            "/.//",
            "/@",
            "http://",
            "https://",
            "https:",
            "https:/",
            "http:\\\\",
            "HTTPS://",
            "ftp://",
            "//user@",
            "https://ours@",
            "ws://",
            "\u0000//",
            "\u00a0//",
            "\u2028//",
            "／／",
            "/〱",
            "/　/",
            "%2f%2f");

    public static final List<String> HOSTILE = hostile();
    static final List<String> OURS = List.of(
            "/",
            "/people",
            "/people?search=li&after=12",
            "/people/li.wei",
            "/profile#tokens",
            "/profile?x=%20a%2Fb",
            "/jobs/li~train-1/logs?offset=100",
            "/a/.well/..b/c");

    private Redirects() {}

    private static List<String> hostile() {
        var all = new ArrayList<String>();
        STARTS.forEach(start -> HOSTS.forEach(host -> all.add(start + host)));
        all.addAll(List.of(
                "",
                "evil.example",
                "javascript:alert(1)",
                "JavaScript://%0aalert(1)",
                "java\tscript:alert(1)",
                "data:text/html,<script>alert(1)</script>",
                "vbscript:msgbox",
                "/<script>",
                "/people//evil.example",
                "/people/..//evil.example",
                "/people/../../evil.example",
                "/..",
                "/.",
                "/./people",
                "/../people",
                "/people/..",
                "/people/.?x",
                "/people\\evil",
                "/people;evil",
                "/people\r\nSet-Cookie: a=b",
                "/people\nLocation: https://evil.example",
                "/people?x=\\evil",
                "/people?x=<b>",
                "/people#<b>",
                "/people#a#b",
                "/%00",
                "/%2e%2e/",
                "/\u202epeople",
                "/people\u0000",
                "?next=/",
                "#people",
                ".",
                "..",
                "~",
                "/" + "a".repeat(3_000)));
        return all;
    }
}
