package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Pages of other sites, open in the browser of an administrator who is signed in: what they can send without asking first. */
final class ForeignPages implements AutoCloseable {
    private static final String REFUSED = "was not sent by a page of this portal";

    /** Where the gateway itself notes how things go on. */
    private static final Set<String> ITS_OWN = Set.of(
            "allocations",
            "endpoint_uses",
            "files_usage",
            "idle_jobs",
            "idle_notices",
            "job_attempts",
            "job_data",
            "job_events",
            "job_leader",
            "jobs",
            "kept_logs",
            "sign_in_tries",
            "task_summaries",
            "tasks",
            "user_numbers");

    /** Times at which somebody was seen, and numbers of transactions. */
    private static final String NOTED = "\"[0-9-]{10} [0-9:.+]+\"|,\\d+,\\d+\\)$";

    /**
     * @param origin as the browser says; empty: it does not
     * @param type of the body, one of those that a form can have
     * @param site as a browser of today says besides; empty: an old one
     */
    private record Page(String origin, String type, String site) {}

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final TestServer server;
    private final Browser window;
    private final String cookies;
    private final List<Page> pages;
    private final List<String> before;

    ForeignPages(TestServer server, Browser window) {
        this.server = server;
        this.window = window.signIn("admin", TestServer.PASSWORD);
        this.cookies = window.cookies.entrySet().stream()
                .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                .collect(Collectors.joining("; "));
        this.pages = List.of(
                new Page("https://evil.example", "application/x-www-form-urlencoded", "cross-site"),
                new Page("null", "multipart/form-data; boundary=x", "cross-site"),
                new Page("http://localhost:1", "text/plain", "same-site"),
                new Page(
                        server.address().replace("://", "://aaaaaaaaaabbbbbbbbbb."),
                        "application/x-www-form-urlencoded",
                        "same-site"),
                new Page(server.address() + ".evil.example", "text/plain", "cross-site"),
                new Page("", "text/plain", "same-site"),
                new Page("", "application/x-www-form-urlencoded", ""));
        this.before = kept();
    }

    void send(String method, String path) {
        for (Page page : pages) {
            var answer = ask(method, path, page, Map.of());
            assertThat(answer.statusCode())
                    .as("%s %s of %s", method, path, page)
                    .isEqualTo(403);
            assertThat(answer.body()).as("%s %s of %s", method, path, page).contains(REFUSED);
        }
    }

    /** @param wanted what the link says that it is, in the ways that servers know */
    void follow(String path, String wanted) {
        var visit = new Page("", "", "cross-site");
        var override = Map.of("X-HTTP-Method-Override", wanted, "X-HTTP-Method", wanted, "X-Method-Override", wanted);
        String more = path + (path.contains("?") ? "&" : "?") + "_method=" + wanted;
        assertThat(ask("GET", more, visit, override).statusCode())
                .as("%s as a link to %s", wanted, path)
                .isEqualTo(ask("GET", path, visit, Map.of()).statusCode());
    }

    void haveChangedNothing() {
        assertThat(kept()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(window.get("/profile").statusCode())
                .as("nobody was signed out")
                .isEqualTo(200);
        assertThat(window.post("/preferences", Map.of()).statusCode())
                .as("a page of our own")
                .isEqualTo(303);
    }

    private HttpResponse<String> ask(String method, String path, Page page, Map<String, String> more) {
        var request = HttpRequest.newBuilder(URI.create(server.address() + path))
                .header("Cookie", cookies)
                .method(method, method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("{}"));
        Map.of("Origin", page.origin, "Content-Type", page.type, "Sec-Fetch-Site", page.site)
                .forEach((name, value) -> {
                    if (!value.isEmpty()) {
                        request.header(name, value);
                    }
                });
        more.forEach(request::header);
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All rows of all tables but those. */
    private List<String> kept() {
        var pool = server.database().pool();
        var all = new ArrayList<String>();
        pool.query("SELECT relname FROM pg_stat_user_tables").execute().await().forEach(table -> {
            String name = table.getString(0);
            if (!ITS_OWN.contains(name)) {
                pool.query("SELECT t::text FROM " + name + " t")
                        .execute()
                        .await()
                        .forEach(row -> all.add(name + " " + row.getString(0).replaceAll(NOTED, "")));
            }
        });
        return all;
    }

    @Override
    public void close() {
        client.close();
    }
}
