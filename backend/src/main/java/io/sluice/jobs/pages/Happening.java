package io.sluice.jobs.pages;

import io.sluice.jobs.JobDetail.Event;
import io.sluice.jobs.exits.ExitCatalogue;
import io.sluice.jobs.life.Exit;
import io.sluice.web.View;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An event in words of the reader's language, or several alike in a row. Events are kept in English; what they name, a person, a node, a
 * code, is put into the text of their kind. One that this version does not know is shown as it was kept.
 *
 * @param events newest first, at least one
 * @param words what happened, null: the message says it
 * @param code of the catalogue that the event tells, null: none
 */
public record Happening(
        List<Event> events,
        View.@Nullable Note words,
        @Nullable Integer code) {
    private static final int SHOWN_APART = 3;

    private record Shape(String reason, Pattern message, String key) {
        static Shape of(String reason, String message, String key) {
            return new Shape(reason, Pattern.compile(message, Pattern.DOTALL), "job.event." + key);
        }
    }

    private static final List<Shape> SHAPES = List.of(
            Shape.of("Accepted", ".*", "accepted"),
            Shape.of("StopRequested", "Stopped because its devices did nothing for (\\d+) minutes\\.", "idleStopped"),
            Shape.of("StopRequested", "Stopped by (.*)\\.", "stopRequested"),
            Shape.of("StartRequested", "Started again by (.*)\\.", "startRequested"),
            Shape.of("Placed", "Placed on (\\d+) nodes", "placedOnSome"),
            Shape.of("Placed", "Placed on (.*)", "placed"),
            Shape.of("Started", "Started on (\\S+) in (\\S+)", "startedIn"),
            Shape.of("Started", "Started on (.*)", "started"),
            Shape.of("Exited", "Exited with (-?\\d+)(?:: .*)?", "exited"),
            Shape.of("Exited", "Not started any more", "notStarted"),
            Shape.of("Queued", "Tried again: attempt (\\d+)", "queued"),
            Shape.of("AttemptFailed", "The attempt ended with (-?\\d+); the next begins at once\\.", "againAtOnce"),
            Shape.of("AttemptFailed", "The attempt ended with (-?\\d+); the next begins after (\\d+) s\\.", "again"),
            Shape.of("Succeeded", ".*", "succeeded"),
            Shape.of("Stopped", ".*", "stopped"),
            Shape.of("Failed", "The job failed: Exited with (-?\\d+).*", "failed"),
            Shape.of("Failed", "The job failed\\.", "failedSomehow"),
            Shape.of("EngineAway", ".*", "engineAway"),
            Shape.of("EngineBack", ".*", "engineBack"),
            Shape.of("IdleWarning", "Its devices have done nothing for (\\d+) minutes\\.", "idleWarning"),
            Shape.of("IdleOver", ".*", "idleOver"),
            Shape.of("IdleKept", "Kept for (\\d+) hours by (.*)\\.", "idleKept"),
            Shape.of("IdleRequeued", ".* did nothing for (\\d+) minutes\\.", "idleRequeued"),
            Shape.of("IdleNotTold", "The webhook was not reached: (.*)", "idleNoWebhook"),
            Shape.of("IdleNotTold", "The mail could not be sent: (.*)", "idleNoMail"),
            Shape.of("DataNotBroughtBack", "(.*)", "dataLost"),
            // why a job was refused is a sentence of its own each time
            Shape.of("CreationFailed", "(?!)", "accepted"));

    public Happening {
        events = List.copyOf(events);
    }

    static Happening of(Event event) {
        for (Shape shape : SHAPES) {
            Matcher matcher = shape.message().matcher(event.message());
            if (shape.reason().equals(event.reason()) && matcher.matches()) {
                return told(event, shape, matcher);
            }
        }
        return new Happening(List.of(event), null, null);
    }

    private static Happening told(Event event, Shape shape, Matcher matcher) {
        List<Object> values = new ArrayList<>();
        for (int i = 1; i <= matcher.groupCount(); i++) {
            values.add(Objects.requireNonNullElse(matcher.group(i), ""));
        }
        boolean ends = shape.key().matches(".*\\.(exited|again|againAtOnce|failed)");
        Integer code = ends && !values.isEmpty() && !values.getFirst().equals("")
                ? Integer.valueOf(values.getFirst().toString())
                : null;
        String key = code == null || !shape.key().endsWith(".exited")
                ? shape.key()
                : code == 0 ? "job.event.exitedWell" : Exit.isStop(code) ? "job.event.exitedStopped" : shape.key();
        if (key.equals("job.event.queued")) {
            values.set(0, Integer.parseInt(values.getFirst().toString()) + 1);
        }
        return new Happening(List.of(event), new View.Note(event.warning(), key, values), code);
    }

    static Set<String> reasons() {
        return SHAPES.stream().map(Shape::reason).collect(Collectors.toSet());
    }

    /** Those of tasks that say the same one after the other become one. */
    static List<Happening> told(List<Event> events) {
        List<Happening> all = new ArrayList<>();
        List<Happening> alike = new ArrayList<>();
        for (Event event : events) {
            Happening next = of(event);
            if (!alike.isEmpty() && !alike.getLast().isLike(next)) {
                flush(alike, all);
            }
            alike.add(next);
        }
        flush(alike, all);
        return all;
    }

    private static void flush(List<Happening> alike, List<Happening> into) {
        if (alike.size() > SHOWN_APART) {
            var first = alike.getFirst();
            into.add(new Happening(alike.stream().map(Happening::event).toList(), first.words(), first.code()));
        } else {
            into.addAll(alike);
        }
        alike.clear();
    }

    private boolean isLike(Happening other) {
        View.Note mine = words;
        View.Note theirs = other.words;
        return mine != null
                && theirs != null
                && event().role() != null
                && mine.key().equals(theirs.key())
                && Objects.equals(code, other.code)
                && Objects.equals(event().role(), other.event().role())
                && event().attempt() == other.event().attempt();
    }

    /** The newest of them. */
    public Event event() {
        return events.getFirst();
    }

    public boolean isMany() {
        return events.size() > 1;
    }

    public String in(View view) {
        View.Note note = words;
        return note == null ? event().message() : note.in(view);
    }

    /** What the catalogue says of the code, null: nothing that the words do not say. */
    public @Nullable String reason(View view) {
        return code == null || code == 0 || Exit.isStop(code) ? null : view.t(ExitCatalogue.reasonKey(code));
    }

    /** One of the many on its own. */
    public Happening only(Event event) {
        return of(event);
    }
}
