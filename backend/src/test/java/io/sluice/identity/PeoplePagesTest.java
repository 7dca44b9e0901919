package io.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.database.TestDatabase;
import io.sluice.identity.People.Change;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocket;
import io.vertx.ext.web.client.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeoplePagesTest {
    private static Vertx vertx;
    private static TestDatabase database;
    private static Gateway gateway;
    private static PeopleStore store;
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static Browser admin;
    private String name;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        database = TestDatabase.fresh(vertx);
        gateway = Gateway.open(vertx, database.database());
        store = new PeopleStore(database.database());
        admin = gateway.browser().signIn("admin", Gateway.PASSWORD);
    }

    @AfterAll
    static void close() {
        gateway.close();
        database.close();
        vertx.close().await();
    }

    @BeforeEach
    void somebody() {
        name = "person" + NUMBER.incrementAndGet();
        assertThat(add(Map.of("name", name, "password", "first password")).statusCode())
                .isEqualTo(303);
    }

    private static HttpResponse<Buffer> add(Map<String, String> form) {
        return admin.post("/people", form);
    }

    private HttpResponse<Buffer> change(String what, Map<String, String> form) {
        return admin.post("/people/" + name + "/" + what, form);
    }

    private static void sql(String sql) {
        database.database().pool().query(sql).execute().await();
    }

    private People.User user() {
        return store.named(name).await().orElseThrow();
    }

    private static List<String> names(String page) {
        List<String> names = new ArrayList<>();
        Matcher rows = Pattern.compile("<tr id=\"person-\\d+\".*?href=\"/people/([^\"]+)\"", Pattern.DOTALL)
                .matcher(page);
        while (rows.find()) {
            names.add(rows.group(1));
        }
        return names;
    }

    private static String link(String page, String rel) {
        Matcher link = Pattern.compile("href=\"([^\"]*)\" rel=\"" + rel + "\"").matcher(page);
        return link.find() ? link.group(1).replace("&amp;", "&") : "";
    }

    @Test
    void the_list_is_read_page_by_page_and_back() {
        sql(
                "INSERT INTO users (name, email, password) SELECT 'page' || n, n || '@pages.example', '' FROM generate_series(1, 120) n");
        String first = admin.get("/people?search=page").bodyAsString();
        assertThat(names(first)).hasSize(50).startsWith("page120", "page119").endsWith("page71");
        assertThat(link(first, "prev")).isEmpty();
        String second = admin.get(link(first, "next")).bodyAsString();
        assertThat(names(second)).hasSize(50).startsWith("page70").endsWith("page21");
        String third = admin.get(link(second, "next")).bodyAsString();
        assertThat(names(third)).hasSize(20).endsWith("page1");
        assertThat(link(third, "next")).isEmpty();
        assertThat(names(admin.get(link(third, "prev")).bodyAsString())).isEqualTo(names(second));
        String again = admin.get(link(second, "prev")).bodyAsString();
        assertThat(names(again)).isEqualTo(names(first));
        assertThat(link(again, "prev")).isEmpty();
        assertThat(names(admin.get("/people?search=77%40PAGES").bodyAsString())).containsExactly("page77");
        assertThat(names(admin.get("/people?search=%25").bodyAsString())).isEmpty();
        assertThat(names(admin.get("/people?search=_____").bodyAsString())).isEmpty();
        for (String odd : List.of("after=x", "after=-1", "before=99999999999999999999", "after=0", "search='")) {
            assertThat(admin.get("/people?" + odd).statusCode()).as(odd).isEqualTo(200);
        }
    }

    @Test
    void a_person_is_added_with_groups_that_come_into_being() {
        var added = add(Map.of(
                "name",
                name + "b",
                "password",
                "first password",
                "email",
                "b@c.example",
                "groups",
                "vision, nlp, vision"));
        assertThat(added.getHeader("Location")).isEqualTo("/people");
        assertThat(admin.get("/people").bodyAsString()).contains(name + "b", "vision", "nlp");
        assertThat(gateway.browser()
                        .signIn(name + "b", "first password")
                        .get("/people")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void a_refused_form_is_drawn_again_with_what_was_typed() {
        for (var wrong : List.of(
                Map.of("name", "", "password", "typed secret"),
                Map.of("name", "a b", "password", "typed secret"),
                Map.of("name", "<b>", "password", "typed secret"),
                Map.of("name", "ok", "password", "short"),
                Map.of("name", "longenough", "password", "LongEnough"),
                Map.of("name", "ok", "password", "x".repeat(1_025)),
                Map.of("name", "ok", "password", "typed secret", "email", "nowhere"),
                Map.of("name", "ok", "password", "typed secret", "groups", "a-b"),
                Map.of("name", name, "password", "typed secret"),
                Map.of(
                        "name",
                        name.toUpperCase(java.util.Locale.ROOT),
                        "password",
                        "typed secret",
                        "email",
                        "typed@b.example"))) {
            var refused = add(wrong);
            assertThat(refused.statusCode()).as(wrong.toString()).isEqualTo(422);
            assertThat(refused.bodyAsString())
                    .contains("aria-invalid=\"true\"")
                    .doesNotContain("<b>\"", "typed secret");
            assertThat(refused.bodyAsString()).contains(wrong.getOrDefault("email", ""));
        }
        assertThat(store.named("ok").await()).isEmpty();
    }

    @Test
    void a_person_is_changed_in_every_way() {
        assertThat(change("groups", Map.of("groups", "speech")).statusCode()).isEqualTo(303);
        assertThat(user().groups()).containsExactly("speech");
        assertThat(change("groups", Map.of("groups", "a b!")).statusCode()).isEqualTo(422);
        assertThat(change("groups", Map.of()).statusCode()).isEqualTo(303);
        assertThat(user().groups()).isEmpty();
        assertThat(change("admin", Map.of("admin", "true")).statusCode()).isEqualTo(303);
        assertThat(user().admin()).isTrue();
        assertThat(change("admin", Map.of("admin", "false")).statusCode()).isEqualTo(303);
        assertThat(change("reset", Map.of("password", "short")).statusCode()).isEqualTo(422);
        assertThat(change("reset", Map.of("password", "second password")).statusCode())
                .isEqualTo(303);
        gateway.browser().signIn(name, "second password");
        assertThat(change("disable", Map.of()).statusCode()).isEqualTo(303);
        assertThat(user().disabled()).isTrue();
        assertThat(change("enable", Map.of()).statusCode()).isEqualTo(303);
        gateway.browser().signIn(name, "second password");
        assertThat(change("delete", Map.of()).getHeader("Location")).isEqualTo("/people");
        assertThat(admin.get("/people/" + name).statusCode()).isEqualTo(404);
        assertThat(change("enable", Map.of()).statusCode()).isEqualTo(404);
        var kept = database.database()
                .pool()
                .query("SELECT deleted FROM users WHERE name = '" + name + "'")
                .execute()
                .await();
        assertThat(kept.iterator().next().getValue(0)).isNotNull();
    }

    @Test
    void a_word_is_said_once_and_only_by_us() {
        change("disable", Map.of());
        assertThat(admin.get("/people/" + name).bodyAsString()).contains("is disabled: every session");
        assertThat(admin.get("/people/" + name).bodyAsString()).doesNotContain("is disabled: every session");
        for (String forged : List.of(
                "x",
                "!",
                Signer.encode("[]".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                Signer.encode("[null]".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                Signer.encode("[1]".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                Signer.encode("[\"fault.self\"]".getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                Signer.encode("[\"note.nothing\"]".getBytes(java.nio.charset.StandardCharsets.UTF_8)))) {
            admin.cookies.put("sluice_note", forged);
            assertThat(admin.get("/people/" + name).statusCode()).as(forged).isEqualTo(200);
        }
    }

    @Test
    void nobody_shuts_themselves_out() {
        for (String what : List.of("disable", "delete")) {
            assertThat(admin.post("/people/admin/" + what, Map.of()).statusCode())
                    .isEqualTo(422);
        }
        assertThat(admin.get("/profile").statusCode()).isEqualTo(200);
    }

    @Test
    void the_last_administrator_stays() {
        assertThat(admin.post("/people/admin/admin", Map.of("admin", "false")).statusCode())
                .isEqualTo(422);
        assertThat(admin.get("/people/admin").bodyAsString()).contains("only administrator");
    }

    @Test
    void two_administrators_who_demote_each_other_at_once_leave_one() {
        long boss = store.named("admin").await().orElseThrow().id();
        for (int round = 0; round < 30; round++) {
            store.change(user().id(), Change.NONE.admin(true)).await();
            store.change(boss, Change.NONE.admin(true)).await();
            var one = store.change(boss, Change.NONE.admin(false));
            var other =
                    store.change(user().id(), round % 2 == 0 ? Change.NONE.admin(false) : Change.NONE.disabled(true));
            Future.join(one, other).await();
            assertThat(List.of(one.result().isPresent(), other.result().isPresent()))
                    .containsExactlyInAnyOrder(true, false);
            store.change(user().id(), Change.NONE.disabled(false)).await();
        }
        store.change(boss, Change.NONE.admin(true)).await();
        store.change(user().id(), Change.NONE.admin(false)).await();
    }

    @Test
    void an_open_page_is_told_of_everything_that_changes() throws InterruptedException {
        String page = admin.get("/people").bodyAsString();
        String cursor = page.replaceAll("(?s).*/live/people\\?since=(\\d+).*", "$1");
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        WebSocket socket =
                admin.follow("/live/people?since=" + cursor, told::add).await();
        String fresh = "live" + NUMBER.incrementAndGet();
        add(Map.of("name", fresh, "password", "first password"));
        assertThat(until(told, fresh)).contains("target=\"people-rows\"").contains("<live-cursor value=\"");
        long id = store.named(fresh).await().orElseThrow().id();
        admin.post("/people/" + fresh + "/disable", Map.of());
        assertThat(until(told, "class=\"disabled\"")).contains("person-" + id);
        admin.post("/people/" + fresh + "/groups", Map.of("groups", "liveGroup"));
        until(told, "liveGroup");
        admin.post("/people/" + fresh + "/delete", Map.of());
        until(told, "<turbo-stream action=\"remove\" target=\"person-" + id + "\">");
        socket.close().await();
    }

    private static String until(BlockingQueue<String> told, String text) throws InterruptedException {
        String message;
        do {
            message = told.poll(5, TimeUnit.SECONDS);
            assertThat(message).as("a message with " + text).isNotNull();
        } while (!message.contains(text));
        return message;
    }

    @Test
    void a_commit_that_comes_late_is_not_missed() {
        String late = "late" + NUMBER.incrementAndGet();
        var cursor = new ArrayList<String>();
        database.database()
                .transaction(slow -> slow.query("INSERT INTO users (name, password) VALUES ('" + late + "', '')")
                        .execute()
                        .compose(inserted -> store.add("early" + late, "", "", false))
                        .compose(other -> store.page("", Long.MAX_VALUE, false, 51))
                        .onSuccess(page -> {
                            assertThat(page.users())
                                    .extracting(People.User::name)
                                    .contains("early" + late)
                                    .doesNotContain(late);
                            cursor.add(page.cursor());
                        }))
                .await();
        assertThat(store.since(cursor.getFirst(), 200).await().users())
                .extracting(People.User::name)
                .contains(late);
    }

    @Test
    void who_missed_very_much_looks_at_the_page_anew() throws InterruptedException {
        sql("INSERT INTO users (name, password) SELECT 'many" + NUMBER.incrementAndGet()
                + "x' || n, '' FROM generate_series(1, 300) n");
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        WebSocket socket = admin.follow("/live/people?since=0", told::add).await();
        assertThat(until(told, "action=\"refresh\"")).doesNotContain("people-rows");
        socket.close().await();
    }
}
