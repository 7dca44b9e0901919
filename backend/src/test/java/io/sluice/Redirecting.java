package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.DoorDesk.Answer;
import io.sluice.identity.Redirects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/** An app may send browsers where it likes; but what it says is never made into another place, and is never gone to from here. */
final class Redirecting {
    private Redirecting() {}

    /** Each on a new connection, and on one on which the way is known. */
    static void tried(Way way) throws IOException {
        String own = "http://127.0.0.1:"
                + way.owner().state(way.job(), "web").path("port").asInt();
        try (Visitor known = way.known()) {
            for (String there : Redirects.HOSTILE) {
                for (String to : List.of(there, own + there)) {
                    String uri = "/location?" + HexFormat.of().formatHex(to.getBytes(StandardCharsets.UTF_8));
                    leads(way, to, way.raw(way.request("GET", uri, "Connection: close")));
                    leads(way, to, known.ask(way.request("GET", uri)));
                }
            }
        }
    }

    private static void leads(Way way, String to, Answer answer) {
        assertThat(answer.status()).as(to).isIn(302, 502);
        assertThat(answer.fields("Location")).as(to).hasSizeLessThanOrEqualTo(1);
        assertThat(answer.text()).as(to).doesNotContainIgnoringCase("sluice_").doesNotContain("<h1>app");
        String location = answer.field("Location");
        String itself = "http://" + way.host() + way.prefix();
        String said = new String(to.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)
                .split("[\r\n]", -1)[0].strip();
        if (location.startsWith(itself)) {
            assertThat(location.substring(itself.length())).as(to).matches("/([^/\\\\].*)?");
            assertThat(to).doesNotStartWith(itself);
        } else {
            boolean path = said.startsWith("/") && !said.startsWith("//");
            assertThat(location).as(to).isIn("", path ? way.prefix() + said : said);
        }
    }
}
