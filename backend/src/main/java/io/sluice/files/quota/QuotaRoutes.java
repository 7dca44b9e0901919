package io.sluice.files.quota;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.web.Call;
import io.sluice.web.Problem;
import io.sluice.web.Reply;
import io.sluice.web.Route;
import io.sluice.web.View.Note;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How much everybody has: for themselves, and for administrators, who say how much it may be. */
final class QuotaRoutes {
    private static final String PAGE = "/files/usage";
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})([kmgt]?)", Pattern.CASE_INSENSITIVE);

    private final Quotas quotas;

    QuotaRoutes(Quotas quotas) {
        this.quotas = quotas;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/v2/quota", this::own).scope("files:read"),
                Route.get("/api/v2/quotas", this::all).forAdmins().withoutApplications(),
                Route.put("/api/v2/quotas/:user", this::limit).forAdmins().withoutApplications(),
                Route.get(PAGE, this::page).forAdmins().withoutApplications(),
                Route.post(PAGE, this::limitOnPage).forAdmins().withoutApplications());
    }

    private static Map<String, Object> shown(Usage usage) {
        Map<String, Object> shown = new LinkedHashMap<>();
        Instant counted = usage.counted();
        shown.put("bytes", usage.bytes());
        shown.put("files", usage.files());
        shown.put("mostBytes", usage.mostBytes() == 0 ? null : usage.mostBytes());
        shown.put("mostFiles", usage.mostFiles() == 0 ? null : usage.mostFiles());
        shown.put("over", usage.isOver());
        shown.put("counted", counted == null ? null : counted.toEpochMilli());
        return shown;
    }

    private Future<Reply> own(Call call) {
        return quotas.of(call.caller().id()).map(usage -> Reply.json(shown(usage)));
    }

    private Future<Reply> all(Call call) {
        return quotas.most()
                .map(people -> Reply.json(Map.of(
                        "users",
                        people.stream()
                                .map(person -> {
                                    Map<String, Object> one = new LinkedHashMap<>(Map.of("name", person.name()));
                                    one.putAll(shown(person.usage()));
                                    return one;
                                })
                                .toList())));
    }

    private Future<Reply> limit(Call call) {
        ObjectNode body = call.input();
        return quotas.limit(call.caller(), call.path("user"), number(body, "bytes"), number(body, "files"))
                .map(done -> Reply.nothing());
    }

    private static @Nullable Long number(ObjectNode body, String key) {
        if (!body.hasNonNull(key)) {
            return null;
        }
        if (!body.get(key).canConvertToLong() || body.get(key).asLong() < 0) {
            throw Problem.invalid(
                    key + " is a whole number; 0 means no limit, and without it counts what is for everybody.");
        }
        return body.get(key).asLong();
    }

    private Future<Reply> page(Call call) {
        return quotas.most().map(people -> Reply.page(call, "files/usage.jte", new QuotaPage(people, call.note())));
    }

    private Future<Reply> limitOnPage(Call call) {
        String name = call.field("name").orElse("").strip();
        String bytes = call.field("bytes").orElse("").strip();
        String files = call.field("files").orElse("").strip();
        Matcher size = SIZE.matcher(bytes);
        if ((!bytes.isEmpty() && !size.matches()) || !files.matches("\\d{0,12}")) {
            return Future.succeededFuture(said(call, Note.bad("note.quota.fault")));
        }
        Long most = bytes.isEmpty()
                ? null
                : Long.valueOf(Long.parseLong(size.group(1))
                        << (10
                                * " kmgt"
                                        .indexOf((size.group(2) + " ")
                                                .toLowerCase(Locale.ROOT)
                                                .charAt(0))));
        return quotas.limit(call.caller(), name, most, files.isEmpty() ? null : Long.valueOf(files))
                .map(done -> said(call, Note.good("note.quota.kept", name)))
                .recover(fault -> fault instanceof Problem problem && problem.kind() == Problem.Kind.NOT_FOUND
                        ? Future.succeededFuture(said(call, Note.bad("note.quota.nobody")))
                        : Future.failedFuture(fault));
    }

    private static Reply said(Call call, Note note) {
        return Reply.seeOther(PAGE).noting(call, note);
    }
}
