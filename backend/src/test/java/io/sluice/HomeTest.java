package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.identity.Browser;
import io.sluice.identity.Crowd.Person;
import io.vertx.core.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The first page, over HTTP. */
class HomeTest {
    private static final String STEP = "Submit your first job";

    @RegisterExtension
    private static final Reception RECEPTION = new Reception();

    private static Person somebody() {
        return RECEPTION.somebody("somebody");
    }

    private static Browser as(Person person) {
        return RECEPTION.as(person);
    }

    private static String home(Person person) {
        var answer = as(person).get("/");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.bodyAsString();
    }

    @Test
    void whoever_is_new_is_told_how_to_begin_until_they_have() {
        Person person = somebody();
        assertThat(home(person)).contains(STEP).doesNotContain("Add your SSH key", "Make a token for your scripts");
        RECEPTION.submit(person, "first");
        Reception.eventually(() -> !home(person).contains(STEP));
        assertThat(home(person))
                .contains("id=\"home-steps\" class=\"sheet\" aria-labelledby=\"steps\" hidden")
                .contains(person.name() + "~first");
    }

    @Test
    void the_queue_of_others_is_a_number_and_no_name() {
        RECEPTION.submit(RECEPTION.boss(), "confidential");
        Person person = somebody();
        Reception.eventually(() -> home(person).contains("of somebody else waits too")
                || home(person).contains("jobs of others wait too"));
        assertThat(home(person)).doesNotContain("confidential");
        assertThat(home(RECEPTION.boss())).contains("boss~confidential", "Can never start: ");
    }

    @Test
    void what_the_machine_has_is_told_in_both_languages() {
        Browser browser = as(somebody());
        assertThat(browser.get("/").bodyAsString()).contains("CPUs", "Memory", "No GPU or NPU was found");
        browser.headers.set("Accept-Language", "zh");
        assertThat(browser.get("/").bodyAsString()).contains("当前空闲", "内存", "没有发现 GPU 或 NPU");
    }

    @Test
    void an_open_page_is_told_of_one_s_own_and_of_nobody_else_s_jobs() throws InterruptedException {
        Person person = somebody();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        BlockingQueue<String> strange = new LinkedBlockingQueue<>();
        WebSocket socket = as(person).follow("/live/home", told::add).await();
        WebSocket other = as(somebody()).follow("/live/home", strange::add).await();
        RECEPTION.submit(person, "lively");
        String message;
        do {
            message = told.poll(60, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
        } while (!message.contains(person.name() + "~lively"));
        assertThat(message).contains("target=\"home-mine\"", "target=\"home-queue\"", "target=\"home-free\"");
        assertThat(strange).allSatisfy(text -> assertThat(text).doesNotContain("lively"));
        socket.close().await();
        other.close().await();
    }
}
