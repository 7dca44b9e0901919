package io.sluice.telemetry.idle;

import io.sluice.jobs.clusters.IdleRule;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;

/** What is told of an idle job: to its history always, outside where its rule says so. */
final class Told {
    private Told() {}

    static JsonArray warning(Lulls.Job job, IdleRule rule, Instant now) {
        var facts = new JsonObject()
                .put("job", job.key())
                .put("user", job.user())
                .put("name", job.name())
                .put("virtualCluster", job.cluster())
                .put("attempt", job.attempt())
                .put("devices", job.devices())
                .put("idleMinutes", job.quiet().toMinutes())
                .put("utilisationPercent", (double) Math.round(job.level() * 1000) / 10)
                .put("then", rule.then().name())
                .put(
                        "due",
                        rule.then() == IdleRule.Then.WARN
                                ? null
                                : now.plusSeconds(rule.patience() * 60L).toString())
                .put("patience", rule.patience())
                .put("keepHours", rule.keepHours());
        var all = new JsonArray().add(notice("history", facts));
        if (rule.webhook() != null) {
            all.add(notice("webhook", facts.copy().put("webhook", rule.webhook())));
        }
        if (rule.mail()) {
            all.add(notice("mail", facts));
        }
        return all;
    }

    private static JsonObject notice(String kind, JsonObject message) {
        return new JsonObject().put("kind", kind).put("message", message);
    }
}
