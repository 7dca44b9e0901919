package io.sluice.files.catalogue;

import io.sluice.web.Caller;
import io.sluice.web.Problem;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;

/**
 * How an entry of a catalogue stands: anybody may propose one, the administrator accepts it or declines it with a word why.
 *
 * @param userId who brought it
 * @param word what the administrator said to it; empty: nothing
 */
public record Standing(State state, long userId, String user, String word, Instant changed) {
    public static final int LONGEST_WORD = 500;
    /** Of one user that wait for an answer. */
    public static final int MOST_PROPOSALS = 20;

    /** Who sees it: the administrator and whoever brought it; once it is accepted, those it is for. */
    public enum State {
        PROPOSED,
        ACCEPTED,
        DECLINED;

        public String key() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Of what somebody brings: an administrator needs nobody's word. */
        public static State of(Caller caller) {
            return caller.admin() ? ACCEPTED : PROPOSED;
        }
    }

    /**
     * The administrator's.
     *
     * @param seen when what they have read had been changed, in milliseconds since 1970
     */
    public record Word(boolean accepted, String text, long seen) {
        public Word {
            text = text.strip();
        }

        /** Passes where it may be one: who is declined is told why. */
        public void refuse() {
            if (text.length() > LONGEST_WORD || (!accepted && text.isEmpty())) {
                throw Problem.invalid("Whoever proposed it is told why it is declined, in 1 to " + LONGEST_WORD
                        + " characters of word.");
            }
        }

        public State state() {
            return accepted ? State.ACCEPTED : State.DECLINED;
        }

        public OffsetDateTime read() {
            return Instant.ofEpochMilli(seen).atOffset(ZoneOffset.UTC);
        }
    }

    public boolean isAccepted() {
        return state == State.ACCEPTED;
    }

    /** Passes where somebody may propose one more. */
    public static void refuse(Caller caller, long waiting) {
        if (!caller.admin() && waiting >= MOST_PROPOSALS) {
            throw Problem.of(
                    Problem.Kind.CONFLICT,
                    "TooManyProposalsError",
                    MOST_PROPOSALS + " proposals of yours wait for an answer, which is the limit. Withdraw one first.");
        }
    }

    /** Passes where somebody may change it, or take it away. */
    public void refuse(Caller caller) {
        if (!isChangedBy(caller)) {
            throw Problem.of(
                    Problem.Kind.FORBIDDEN,
                    "Only administrators change what is in the catalogue. Tell them what is to be another.");
        }
    }

    public static Problem meanwhile() {
        return Problem.of(
                Problem.Kind.CONFLICT,
                "Somebody has changed this in the meantime. Look at it again, and try once more.");
    }

    /** What is accepted is the administrator's. */
    public boolean isChangedBy(Caller caller) {
        return caller.admin() || (userId == caller.id() && !isAccepted());
    }

    /** For programs. */
    public Map<String, Object> shown() {
        return Map.of("standing", state.key(), "username", user, "word", word, "changed", changed.toEpochMilli());
    }
}
