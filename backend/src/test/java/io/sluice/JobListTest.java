package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocket;
import io.vertx.ext.web.client.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages that list jobs, over HTTP. */
class JobListTest {
    private static final Pattern ROW = Pattern.compile("<tr id=\"job-\\d+\".*?href=\"/jobs/([^\"]+)\"", Pattern.DOTALL);

    @RegisterExtension
    private static final Reception RECEPTION = new Reception();

    private Person boss;
    private Person owner;
    private Person stranger;

    @BeforeEach
    void people() {
        boss = RECEPTION.boss();
        owner = RECEPTION.somebody("owner");
        stranger = RECEPTION.somebody("stranger");
    }

    private static Browser as(Person person) {
        return RECEPTION.as(person);
    }

    private static void submit(Person person, String name) {
        RECEPTION.submit(person, name);
    }

    private static String page(Person person, String query) {
        var answer = as(person).get("/jobs" + query);
        assertThat(answer.statusCode()).as(query).isEqualTo(200);
        return answer.bodyAsString();
    }

    private static List<String> names(String page) {
        List<String> names = new ArrayList<>();
        Matcher rows = ROW.matcher(page);
        while (rows.find()) {
            names.add(rows.group(1).replaceAll("^[^~]*~", ""));
        }
        return names;
    }

    private static String link(String page, String rel) {
        Matcher link = Pattern.compile("href=\"([^\"]*)\" rel=\"" + rel + "\"").matcher(page);
        return link.find() ? link.group(1).replace("&amp;", "&").replaceFirst("^/jobs", "") : "";
    }

    /** Jobs that are over, one a minute, number 1 the oldest. */
    private static void finished(Person person, String name, int count, String shown) {
        RECEPTION
                .server()
                .database()
                .pool()
                .query("""
                        INSERT INTO jobs (user_id, user_name, name, virtual_cluster, priority, preemptible, demand, tasks, roles, devices,
                            retry_count, state, shown, submitted, completed)
                        SELECT %d, '%s', '%s' || n, 'default', 0, false, '[]', 1, 1, 0, 0, 'finalised', '%s',
                            timestamptz '2020-01-01' + n * interval '1 minute', now()
                        FROM generate_series(1, %d) n
                        """.formatted(person.id(), person.name(), name, shown, count))
                .execute()
                .await();
    }

    private static void waiting(Person person, String name) {
        // whether a job of an ordinary user may start here at all is not what is asked
        submit(person, name);
        RECEPTION
                .server()
                .database()
                .pool()
                .query("UPDATE jobs SET state = 'queued', shown = 'WAITING', completed = NULL, exit_code = NULL,"
                        + " changed = pg_current_xact_id() WHERE user_name = '"
                        + person.name() + "' AND name = '" + name + "'")
                .execute()
                .await();
    }

    @ParameterizedTest
    @CsvSource({"'',true", "oldest,false", "name-back,true", "name,false"})
    void the_list_is_read_page_by_page_and_back(String sort, boolean downwards) {
        finished(owner, "page1", 120, "SUCCEEDED");
        List<String> all = new ArrayList<>();
        for (int n = 1; n <= 120; n++) {
            all.add("page1" + n);
        }
        if (sort.startsWith("name")) {
            all.sort(null);
        }
        List<String> expected = downwards ? all.reversed() : all;
        String first = page(owner, sort.isEmpty() ? "" : "?sort=" + sort);
        assertThat(names(first)).isEqualTo(expected.subList(0, 50));
        assertThat(first).contains("120 jobs in this list");
        assertThat(link(first, "prev")).isEmpty();
        String second = page(owner, link(first, "next"));
        assertThat(names(second)).isEqualTo(expected.subList(50, 100));
        String third = page(owner, link(second, "next"));
        assertThat(names(third)).isEqualTo(expected.subList(100, 120));
        assertThat(link(third, "next")).isEmpty();
        assertThat(names(page(owner, link(third, "prev")))).isEqualTo(expected.subList(50, 100));
        String again = page(owner, link(second, "prev"));
        assertThat(names(again)).isEqualTo(expected.subList(0, 50));
        assertThat(link(again, "prev")).isEmpty();
    }

    /** With these values of theirs, under a tag of their own, so that a list of everybody's can be of them alone. */
    private static void sorted(Person person, String name, int count, String shown, String tag) {
        finished(person, name, count, shown);
        ask("UPDATE jobs SET tags = ARRAY['" + tag + "'], tasks = 1 + id % 7, devices = id % 5, priority = id % 3 - 1,"
                + " launched = submitted, completed = submitted + (id * 7919 % 101) * interval '1 second' WHERE user_name = '"
                + person.name() + "' AND name LIKE '" + name + "%'");
    }

    private static List<String> ask(String sql) {
        List<String> answers = new ArrayList<>();
        RECEPTION.server().database().pool().query(sql).execute().await().forEach(row -> answers.add(row.getString(0)));
        return answers;
    }

    /** Of the rows, between the ends that the page has. */
    private static List<String> places(String page) {
        List<String> places = Pattern.compile("data-order=\"([^\"]*)\"")
                .matcher(page)
                .results()
                .map(place -> place.group(1))
                .toList();
        String from = link(page, "prev").isEmpty() ? "" : " data-from=\"" + places.getFirst() + "\"";
        String to = link(page, "next").isEmpty() ? "" : " data-to=\"" + places.getLast() + "\"";
        assertThat(page).containsPattern("<tbody id=\"jobs-rows\"" + from + to + "( data-back=\"true\")?>");
        return places;
    }

    /** Every page forwards, and every page back again. */
    private static List<String> leafed(Person person, String query) {
        List<String> all = new ArrayList<>();
        List<List<String>> pages = new ArrayList<>();
        List<String> places = new ArrayList<>();
        String page = page(person, query);
        while (true) {
            pages.add(names(page));
            all.addAll(names(page));
            places.addAll(places(page));
            if (link(page, "next").isEmpty()) {
                break;
            }
            page = page(person, link(page, "next"));
        }
        assertThat(query.contains("name-back") ? places.reversed() : places)
                .as("by which an open page knows where what comes belongs")
                .isSorted();
        for (int back = pages.size() - 2; back >= 0; back--) {
            page = page(person, link(page, "prev"));
            assertThat(names(page)).as("%s, page %s from its end", query, back).isEqualTo(pages.get(back));
        }
        assertThat(link(page, "prev")).isEmpty();
        return all;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sort=state|array_position(ARRAY['WAITING','FAILED','STOPPED','SUCCEEDED'], shown), submitted DESC, id DESC|true",
                "sort=user|user_name, submitted DESC, id DESC|true",
                "sort=name|name, user_name|true",
                "sort=name-back|name DESC, user_name DESC|true",
                "sort=state&q=a|array_position(ARRAY['WAITING','FAILED','STOPPED','SUCCEEDED'], shown), submitted DESC, id DESC|true",
                "sort=user&q=a|user_name, submitted DESC, id DESC|true",
                "sort=took-longest&state=failed|completed - launched DESC, id DESC|shown = 'FAILED'",
                "sort=took-shortest&state=succeeded|completed - launched, id|shown = 'SUCCEEDED'",
                "sort=priority&state=waiting|priority DESC, id DESC|shown = 'WAITING'",
                "sort=tasks&state=waiting|tasks DESC, id DESC|shown = 'WAITING'",
                "sort=devices&state=waiting|devices DESC, id DESC|shown = 'WAITING'",
            })
    void in_every_order_a_list_is_read_page_by_page_and_back(String query, String order, String where) {
        String tag = "of-" + owner.name();
        for (Person person : List.of(owner, stranger)) {
            sorted(person, "a", 53, "FAILED", tag);
            sorted(person, "b", 41, "SUCCEEDED", tag);
            sorted(person, "ca", 70, "WAITING", tag);
            sorted(person, "d", 3, "STOPPED", tag);
        }
        String asked = "SELECT name FROM jobs WHERE tags = ARRAY['" + tag + "'] AND " + where;
        boolean searched = query.contains("q=a");
        String found = searched ? " AND (strpos(name, 'a') > 0 OR strpos(user_name, 'a') > 0)" : "";
        assertThat(leafed(boss, "?tag=" + tag + "&" + query)).isEqualTo(ask(asked + found + " ORDER BY " + order));
        if (!query.contains("sort=user")) {
            String own = found + " AND user_name = '" + owner.name() + "'";
            assertThat(leafed(owner, "?" + query)).isEqualTo(ask(asked + own + " ORDER BY " + order));
        }
    }

    @Test
    void a_column_leads_to_its_order_and_says_which_way_it_goes() {
        finished(owner, "one", 1, "FAILED");
        assertThat(page(owner, "?sort=name")).contains("aria-sort=\"ascending\"><a href=\"/jobs?sort=name-back\"");
        assertThat(page(owner, "?sort=state")).contains("class=\"is\" aria-sort=\"ascending\"");
        assertThat(page(owner, "?state=failed"))
                .contains("/jobs?state=failed&amp;sort=took-longest")
                .doesNotContain("sort=state");
        assertThat(page(owner, "?state=failed&sort=took-longest"))
                .contains("aria-sort=\"descending\"><a href=\"/jobs?state=failed&amp;sort=took-shortest\"");
        assertThat(page(owner, "")).doesNotContain("value=\"user\"");
        assertThat(page(boss, "?sort=user")).contains("<option value=\"user\" selected>");
        // an order that the next list can not have is left
        assertThat(page(boss, "?sort=user"))
                .contains("href=\"/jobs?user=")
                .doesNotContainPattern("user=[^\"]*sort=user");
    }

    @Test
    void every_filter_finds_what_it_names_and_nothing_else() {
        finished(owner, "good", 3, "SUCCEEDED");
        finished(owner, "bad", 2, "FAILED");
        submit(owner, "tagged");
        as(owner)
                .send(
                        HttpMethod.PUT,
                        "/api/v2/jobs/" + owner.name() + "~tagged/tag",
                        "application/json",
                        Buffer.buffer("{\"value\":\"paper\"}"))
                .await();
        assertThat(names(page(owner, "?state=succeeded"))).containsExactly("good3", "good2", "good1");
        assertThat(names(page(owner, "?state=failed&q=BAD"))).containsExactly("bad2", "bad1");
        assertThat(names(page(owner, "?state=running"))).isEmpty();
        assertThat(names(page(owner, "?tag=paper"))).containsExactly("tagged");
        assertThat(names(page(owner, "?q=paper"))).containsExactly("tagged");
        assertThat(names(page(owner, "?vc=default&priority=default&q=ood1"))).containsExactly("good1");
        assertThat(names(page(owner, "?vc=other"))).isEmpty();
        assertThat(names(page(owner, "?priority=prod"))).isEmpty();
        assertThat(names(page(owner, "?q=%25"))).isEmpty();
        assertThat(names(page(boss, "?user=" + owner.name() + "&state=failed&q=bad")))
                .containsExactly("bad2", "bad1");
    }

    @Test
    void a_search_that_would_take_long_says_so_and_goes_on() {
        finished(owner, "filler", 10_050, "SUCCEEDED");
        String first = page(owner, "?q=filler1&state=succeeded&sort=oldest");
        assertThat(names(first)).hasSize(50);
        String cut = page(owner, "?q=filler17x");
        assertThat(names(cut)).isEmpty();
        assertThat(cut).contains("Nothing more among the newest 10,000 jobs").doesNotContain("in this list");
        assertThat(page(owner, "")).contains("more than 10,000 jobs in this list");
        assertThat(page(owner, link(cut, "next"))).doesNotContain("Nothing more among the newest");
        cut = page(owner, "?q=er49");
        assertThat(names(cut)).isNotEmpty();
    }

    @Test
    void a_stranger_s_jobs_are_as_jobs_that_do_not_exist() {
        finished(owner, "private", 2, "SUCCEEDED");
        assertThat(names(page(stranger, ""))).isEmpty();
        String theirs = page(stranger, "?user=" + owner.name());
        String nobodys = page(stranger, "?user=nobody-at-all");
        assertThat(names(theirs)).isEmpty();
        assertThat(changeless(theirs).replace(owner.name(), "nobody-at-all")).isEqualTo(changeless(nobodys));
        assertThat(names(page(boss, "?user=" + owner.name()))).containsExactly("private2", "private1");
    }

    private static String changeless(String page) {
        return page.replaceAll("since=\\d+", "").replaceAll("nonce\" content=\"[^\"]*", "");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?state=RUNNING",
                "?state=x",
                "?sort=best",
                "?sort=devices",
                "?sort=longest&state=waiting",
                "?sort=state&state=failed",
                "?sort=took-longest",
                "?sort=user&user=somebody",
                "?sort=state&after=9~1.1",
                "?sort=state&after=1.1",
                "?sort=user&after=~1.1",
                "?priority=highest",
                "?after=x",
                "?after=1",
                "?before=1.x",
                "?after=-1.5",
                "?after=99999999999999999999.1",
                "?after=nobody&sort=name",
                "?sort=devices&state=running&after=a~b",
            })
    void a_filter_or_a_place_that_there_is_not_is_refused_with_what_there_is(String query) {
        var answer = as(owner).get("/jobs" + query);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.bodyAsString()).containsAnyOf("is one of", "This is no place in this list");
        assertThat(as(owner).get("/live/jobs" + query).statusCode()).isEqualTo(400);
    }

    @Test
    void an_error_is_told_in_the_language_of_its_page() {
        Browser browser = as(owner);
        browser.headers.set("Accept-Language", "zh-CN").set("Accept", "text/html");
        assertThat(browser.get("/jobs/nobody~nothing").bodyAsString())
                .contains("任务 nobody~nothing 不存在。")
                .doesNotContain("is not found");
        assertThat(browser.get("/jobs?sort=best").bodyAsString())
                .contains("sort 只能是以下之一：newest, ", "不能是 best。")
                .doesNotContain("is one of");
        assertThat(browser.get("/jobs/new?clone=nothing").bodyAsString())
                .contains("任务 " + owner.name() + "~nothing 不存在。");
        assertThat(browser.get("/jobs?q=" + "x".repeat(300)).bodyAsString()).contains("q 最多 200 个字符。");
        browser.headers.set("Accept-Language", "en");
        assertThat(browser.get("/jobs/nobody~nothing").bodyAsString()).contains("Job nobody~nothing is not found.");
    }

    @Test
    void the_many_that_are_ticked_are_stopped_and_each_is_told() {
        waiting(owner, "one");
        waiting(owner, "two");
        finished(owner, "over", 1, "SUCCEEDED");
        waiting(stranger, "theirs");
        Browser browser = as(owner);
        String ticked = "job=" + owner.name() + "~one&job=" + owner.name() + "~two&job=" + owner.name() + "~over1&job="
                + stranger.name() + "~theirs&job=nonsense";
        HttpResponse<Buffer> answer = browser.send(
                        HttpMethod.POST,
                        "/jobs/stop?state=waiting",
                        "application/x-www-form-urlencoded",
                        Buffer.buffer(ticked))
                .await();
        assertThat(answer.statusCode()).isEqualTo(303);
        assertThat(answer.getHeader("Location")).isEqualTo("/jobs?state=waiting");
        assertThat(browser.get("/jobs").bodyAsString())
                .contains("Being stopped: " + owner.name() + "~one, " + owner.name() + "~two.")
                .contains("do not exist: " + owner.name() + "~over1, " + stranger.name() + "~theirs, nonsense");
        assertThat(browser.get("/jobs").bodyAsString()).doesNotContain("Being stopped");
        assertThat(names(page(stranger, "?state=waiting"))).containsExactly("theirs");
        assertThat(browser.post("/jobs/stop", Map.of()).statusCode()).isEqualTo(303);
        assertThat(browser.get("/jobs").bodyAsString()).contains("Tick the jobs that you want to stop first.");
    }

    @Test
    void an_open_list_is_told_what_comes_changes_and_no_longer_belongs_there() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        BlockingQueue<String> strange = new LinkedBlockingQueue<>();
        WebSocket socket =
                as(owner).follow(live(owner, "?state=waiting"), told::add).await();
        WebSocket other = as(stranger).follow(live(stranger, ""), strange::add).await();
        waiting(owner, "live");
        String row = until(told, owner.name() + "~live");
        assertThat(row).contains("<turbo-stream action=\"place\" target=\"jobs-rows\">");
        Matcher id = Pattern.compile("id=\"(job-\\d+)\"").matcher(row);
        assertThat(id.find()).isTrue();
        as(owner).post("/jobs/stop", Map.of("job", owner.name() + "~live"));
        until(told, "<turbo-stream action=\"remove\" target=\"" + id.group(1) + "\">");
        assertThat(strange).allSatisfy(message -> assertThat(message).doesNotContain(owner.name()));
        socket.close().await();
        other.close().await();
    }

    @Test
    void an_open_search_is_told_of_what_the_same_search_finds_and_of_nothing_else() throws InterruptedException {
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        BlockingQueue<String> others = new LinkedBlockingQueue<>();
        WebSocket socket = as(owner).follow(live(owner, "?q=ZEBRA"), told::add).await();
        WebSocket other = as(owner).follow(live(owner, "?q=defau"), others::add).await();
        submit(owner, "zebra_1");
        assertThat(until(told, owner.name() + "~zebra_1")).contains("action=\"place\"");
        assertThat(names(page(owner, "?q=ZEBRA"))).containsExactly("zebra_1");
        assertThat(names(page(owner, "?q=defau"))).isEmpty();
        assertThat(others).allSatisfy(message -> assertThat(message).doesNotContain("zebra_1"));
        socket.close().await();
        other.close().await();
    }

    @Test
    void many_tags_leave_room_for_the_name_and_have_a_limit() {
        submit(owner, "tagged");
        String path = "/api/v2/jobs/" + owner.name() + "~tagged/tag";
        for (int n = 0; n < 50; n++) {
            assertThat(tag(path, "experiment-" + n)).isEqualTo(200);
        }
        assertThat(tag(path, "one-more")).isEqualTo(409);
        assertThat(tag(path, "experiment-7")).isEqualTo(200);
        assertThat(tag(path, "bad\\u0007bell")).isEqualTo(400);
        assertThat(tag(path, "turned\\u202eround")).isEqualTo(400);
        assertThat(page(owner, "")).contains("experiment-2</a>", ">+47</a>").doesNotContain("tag=experiment-3");
    }

    private int tag(String path, String tag) {
        return as(owner)
                .send(HttpMethod.PUT, path, "application/json", Buffer.buffer("{\"value\":\"" + tag + "\"}"))
                .await()
                .statusCode();
    }

    private static String live(Person person, String query) {
        Matcher live = Pattern.compile("<live-updates src=\"([^\"]+)\"").matcher(page(person, query));
        assertThat(live.find()).isTrue();
        return live.group(1).replace("&amp;", "&");
    }

    private static String until(BlockingQueue<String> told, String text) throws InterruptedException {
        String message;
        do {
            message = told.poll(60, TimeUnit.SECONDS);
            assertThat(message).as("a message with " + text).isNotNull();
        } while (!message.contains(text));
        return message;
    }

    @Test
    void why_a_job_waits_or_failed_is_said_in_the_reader_s_language() {
        Person admin = boss;
        submit(admin, "large");
        Browser browser = as(admin);
        Reception.eventually(() -> browser.get("/jobs?q=large").bodyAsString().contains("Can never start: "));
        browser.headers.set("Accept-Language", "zh-CN");
        assertThat(browser.get("/jobs?q=large").bodyAsString()).contains("无法启动：");
    }

    @Test
    void the_door_to_the_list_tells_how_many_of_one_s_own_are_not_over() {
        waiting(owner, "a");
        waiting(owner, "b");
        Reception.eventually(() ->
                as(owner).get("/profile").bodyAsString().contains("<span class=\"count\" id=\"count-jobs\">2</span>"));
        assertThat(page(stranger, "")).contains("<span class=\"count\" id=\"count-jobs\"></span>");
    }
}
