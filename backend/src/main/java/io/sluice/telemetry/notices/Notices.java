package io.sluice.telemetry.notices;

import io.prometheus.client.CollectorRegistry;
import io.sluice.database.Database;
import io.sluice.jobs.Jobs;
import io.sluice.telemetry.notices.NoticeStore.Notice;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** The door to what is told outside. What waits stands in the database, so nothing is forgotten, and two gateways tell it once. */
public final class Notices {
    private static final System.Logger LOG = System.getLogger(Notices.class.getName());
    private static final Duration REST = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(3);
    /** Longer than one may take, so that nobody else takes it meanwhile. */
    private static final Duration TERM = Duration.ofMinutes(2);

    private static final int AT_ONCE = 8;
    private static final int MOST_TRIES = 6;
    private static final Duration FIRST_REST = Duration.ofSeconds(10);

    private final NoticeStore store;
    private final Jobs jobs;
    private final Outside outside;
    private final Webhook webhook;
    private final @Nullable Smtp smtp;
    private final NoticeMetrics metrics;
    private final Semaphore work = new Semaphore(0);
    private volatile boolean closed;
    private @Nullable Thread thread;

    public Notices(Vertx vertx, Database database, Jobs jobs, CollectorRegistry registry, Outside outside) {
        this.store = new NoticeStore(database);
        this.jobs = jobs;
        this.outside = outside;
        this.webhook = new Webhook(vertx, outside.settings().networks());
        URI server = outside.settings().smtp();
        this.smtp = server == null
                ? null
                : new Smtp(server, outside.settings().password(), (SSLSocketFactory) SSLSocketFactory.getDefault());
        this.metrics = new NoticeMetrics(registry);
    }

    public void start() {
        thread = Thread.ofVirtual().name("telemetry-notices").start(this::repeat);
    }

    /** There is something to be told. */
    public void ring() {
        work.release();
    }

    private void repeat() {
        while (!closed) {
            try {
                if (work.tryAcquire(REST.toMillis(), TimeUnit.MILLISECONDS)) {
                    work.drainPermits();
                }
                while (!closed && tell(Instant.now())) {
                    metrics.waiting(await(store.waiting()));
                }
                metrics.waiting(await(store.waiting()));
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                metrics.failed();
                if (!closed) {
                    LOG.log(System.Logger.Level.WARNING, "event=notices-not-told cause=" + e + " effect=tried again");
                }
            }
        }
    }

    /** Some at once, so that one that does not answer holds up few; whether there were any. */
    boolean tell(Instant now) throws Exception {
        List<Notice> taken = await(store.take(now, TERM, AT_ONCE));
        var threads = new ArrayList<Thread>();
        for (Notice notice : taken) {
            threads.add(Thread.ofVirtual().name("telemetry-notice").start(() -> tell(notice, now)));
        }
        for (Thread one : threads) {
            one.join(TERM.toMillis());
        }
        return !taken.isEmpty();
    }

    private void tell(Notice notice, Instant now) {
        try {
            boolean sent = deliver(notice);
            metrics.told(notice.kind(), sent ? "taken" : "nobody");
            await(store.done(notice.id()));
        } catch (Undelivered e) {
            settle(notice, e, now);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            // it is taken again when its term is over
            metrics.told(notice.kind(), "failed");
            LOG.log(System.Logger.Level.WARNING, "event=notice-not-told kind=" + notice.kind() + " cause=" + e);
        }
    }

    /** @return false: there is nobody to be told */
    private boolean deliver(Notice notice) throws Exception {
        JsonObject facts = notice.message();
        return switch (notice.kind()) {
            case "history" -> await(jobs.idling().warned(notice.job(), notice.attempt(), facts.getLong("idleMinutes")));
            case "webhook" -> {
                post(notice, facts);
                yield true;
            }
            case "mail" -> write(notice, facts);
            default -> throw new Undelivered("there is no way to tell by " + notice.kind(), true);
        };
    }

    private void post(Notice notice, JsonObject facts) throws Undelivered, InterruptedException {
        JsonObject body = new JsonObject()
                .put("type", "job.idle")
                .put("timestamp", notice.made().toString())
                .put("data", told(facts).put("url", page(facts)));
        webhook.send(
                URI.create(facts.getString("webhook")),
                id(notice),
                jobs.idling().secret(facts.getString("virtualCluster")),
                body.toBuffer(),
                Instant.now());
    }

    private static JsonObject told(JsonObject facts) {
        JsonObject told = facts.copy();
        told.remove("webhook");
        return told;
    }

    private static String id(Notice notice) {
        return "idle-" + notice.id() + "-" + notice.made().toEpochMilli();
    }

    private String page(JsonObject facts) {
        return outside.address().get() + "/jobs/" + facts.getString("job");
    }

    private boolean write(Notice notice, JsonObject facts) throws Exception {
        Smtp server = smtp;
        Optional<Outside.Reader> reader =
                server == null ? Optional.empty() : await(outside.reader().apply(facts.getString("user")));
        if (server == null || reader.isEmpty()) {
            return false;
        }
        List<String> languages = reader.get().languages();
        String subject = outside.words()
                .of(languages.getFirst(), "idle.mail.subject", facts.getString("name"), facts.getInteger("devices"));
        String text = languages.stream().map(language -> text(language, facts)).collect(Collectors.joining("\n\n"));
        server.send(
                new Mail(outside.settings().from(), reader.get().address(), subject, text, id(notice), notice.made()));
        return true;
    }

    private String text(String language, JsonObject facts) {
        return String.join(
                "\n\n",
                outside.words()
                        .of(
                                language,
                                "idle.mail.text",
                                facts.getString("job"),
                                facts.getString("virtualCluster"),
                                facts.getInteger("devices"),
                                facts.getLong("idleMinutes")),
                outside.words().of(language, "idle.mail." + facts.getString("then"), facts.getLong("patience")),
                outside.words().of(language, "idle.mail.keep", facts.getInteger("keepHours")) + "\n" + page(facts));
    }

    /** Later again, or never; then the history says so. Where that can not be written it is taken again when its term is over. */
    private void settle(Notice notice, Undelivered why, Instant now) {
        boolean last = why.isForGood() || notice.tries() >= MOST_TRIES;
        metrics.told(notice.kind(), last ? "given_up" : "put_off");
        String what = notice.kind().equals("mail") ? "The mail could not be sent: " : "The webhook was not reached: ";
        try {
            if (last) {
                await(jobs.idling().untold(notice.job(), notice.attempt(), what + why.said()));
                await(store.done(notice.id()));
            } else {
                await(store.again(notice.id(), now.plus(rest(notice.tries()))));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.log(System.Logger.Level.WARNING, "event=notice-not-settled cause=" + e + " effect=tried again");
        }
    }

    /** Three times as long each time. */
    private static Duration rest(int tries) {
        Duration rest = FIRST_REST;
        for (int before = 1; before < tries; before++) {
            rest = rest.multipliedBy(3);
        }
        return rest;
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    }

    public Future<Void> close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
        return webhook.close();
    }
}
