package io.sluice.jobs.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.files.stores.StoreAddress;
import io.sluice.files.stores.StoreLine;
import io.sluice.files.stores.Stores;
import io.sluice.jobs.data.care.Care;
import io.sluice.jobs.data.care.Pace;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Prefixes with a great many objects: {@code -Dsluice.listed=1000000} of them. */
class LongListingIT {
    private static final int PAGE = 1_000;
    private static final int LISTED = Integer.getInteger("sluice.listed", 30_000);
    private static final int EARLY = 10;
    private static final long SIZE = 1_000;

    private HttpServer server;
    private volatile int pages;
    private volatile int asked;
    private volatile long early;
    private volatile long late;

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private void answer(HttpExchange call) throws IOException {
        String query = String.valueOf(call.getRequestURI().getQuery());
        int page = query.contains("continuation-token=")
                ? Integer.parseInt(query.replaceFirst(".*continuation-token=(\\d+).*", "$1"))
                : 0;
        asked = page + 1;
        if (page == EARLY) {
            early = heap();
        }
        if (page == pages - 1) {
            late = heap();
        }
        byte[] body = page(page).getBytes(StandardCharsets.UTF_8);
        try (call) {
            call.getResponseHeaders().add("Content-Type", "application/xml");
            call.sendResponseHeaders(200, body.length);
            call.getResponseBody().write(body);
        }
    }

    /** After what nobody needs has gone. */
    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private String page(int page) {
        boolean more = page + 1 < pages;
        return IntStream.range(page * PAGE, (page + 1) * PAGE)
                .mapToObj(
                        "<Contents><Key>set/training/images/%09d.jpeg</Key><Size>1000</Size><ETag>&quot;9dd4e461268c8034f5c8564e155c67a6&quot;</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                                ::formatted)
                .collect(Collectors.joining(
                        "",
                        "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>" + more + "</IsTruncated>"
                                + (more ? "<NextContinuationToken>" + (page + 1) + "</NextContinuationToken>" : ""),
                        "</ListBucketResult>"));
    }

    private Input.Amount survey(int count, long most) throws IOException {
        pages = count / PAGE;
        var address = new StoreAddress(
                "near", URI.create("http://127.0.0.1:" + server.getAddress().getPort()), false, "us-east-1");
        var place = new Stores(List.of(address)).place("lab/set");
        var care = new Care(Pace.USUAL, () -> {});
        try (var input = new StoreInput(StoreLine.open(address, ObjectServer.KEY), place, care, most)) {
            return input.survey();
        }
    }

    @Test
    void of_a_long_listing_no_more_than_a_page_is_kept() throws IOException {
        assertThat(survey(LISTED, LISTED)).isEqualTo(new Input.Amount(LISTED, LISTED * SIZE));
        assertThat(late - early)
                .as("of %,d objects, %,d KiB after %,d", LISTED, (late - early) >> 10, EARLY * PAGE)
                .isLessThan(2 << 20);
    }

    @Test
    void more_than_one_input_may_have_are_refused() {
        assertThatThrownBy(() -> survey(5 * PAGE, 3 * PAGE))
                .hasMessageContaining("more than 3000 objects at s3://near/lab/set. Pack them");
        assertThat(asked).isEqualTo(4);
    }
}
