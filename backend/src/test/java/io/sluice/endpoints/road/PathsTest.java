package io.sluice.endpoints.road;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Redirects;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathsTest {
    @Test
    void nothing_leads_away_from_an_endpoint() {
        for (String to : Redirects.HOSTILE) {
            String local = Paths.local(to);
            // what browsers make a host of begins with two slashes, of either kind, with or without blanks between
            assertThat(local).as(to).matches("/([!-\\[\\]-~&&[^/]][!-\\[\\]-~&&[^?]]*(\\?[!-~]*)?)?");
            assertThat(local).as(to).doesNotStartWith(Road.RESERVED);
        }
    }

    @Test
    void where_somebody_was_they_come_back_to() {
        for (String to : List.of("/", "/lab/tree/a%20b.ipynb?x=1", "/a//b", "/x?next=//y", "/tree/%E6%97%A5")) {
            assertThat(Paths.local(to)).isEqualTo(to);
        }
        for (String to : List.of("/.sluice/enter?ticket=x", "//x", "x", "", "/a#b", "/a/../b")) {
            assertThat(Paths.local(to)).isEqualTo("/");
        }
        assertThat(Paths.local(null)).isEqualTo("/");
    }
}
