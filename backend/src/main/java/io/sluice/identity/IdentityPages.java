package io.sluice.identity;

import io.sluice.web.View.Faults;
import io.sluice.web.View.Note;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * What the templates below {@code pages/identity} take. A form that was refused is drawn again (status 422) by the same
 * template, with what was typed and a {@link Note} per field; a form that was granted answers 303 to a page with a note.
 * Every form works without JavaScript.
 */
@NullMarked
public final class IdentityPages {
    /** Rows of the people page that are drawn at once. */
    public static final int PAGE_SIZE = 50;

    /** The shortest password that a page lets somebody choose. */
    public static final int PASSWORD_LENGTH = 8;

    private IdentityPages() {}

    /**
     * {@code identity/sign-in.jte}, for GET and a refused POST /sign-in.
     *
     * @param next the path of this portal to go on to
     * @param note why it was refused, or that one was signed out
     */
    public record SignIn(String name, String next, @Nullable Note note) {}

    /**
     * {@code identity/set-up.jte}, for GET /set-up?token= and a refused POST /set-up.
     *
     * @param usable whether the token still opens the set-up; otherwise the page says how to get another link
     */
    public record SetUp(String token, String name, boolean usable, Faults faults) {}

    /** One line of the people page, and of {@code identity/person-row.jte} with {@code page} = this record. */
    public record PersonRow(
            long id,
            String name,
            String email,
            boolean admin,
            boolean disabled,
            List<String> groups,
            Instant created,
            @Nullable Instant lastSeen) {
        public PersonRow {
            groups = List.copyOf(groups);
        }
    }

    /**
     * {@code identity/people.jte}, for GET /people?search=&amp;after= and a refused POST /people: newest first, {@link #PAGE_SIZE}
     * at once. New people are prepended to {@code people-rows}, which only the first page of the whole list has; changed ones
     * replace {@code person-ID}, deleted ones remove it; {@code people-total} is updated. On other pages these find no target.
     *
     * @param older the path of the page after this one, with its search; null on the last
     * @param newer the path of the page before this one; null on the first
     * @param total how many people there are, whatever the search
     * @param cursor where /live/people?since= goes on
     */
    public record People(
            List<PersonRow> rows,
            String search,
            @Nullable String older,
            @Nullable String newer,
            long total,
            String cursor,
            NewPerson form,
            @Nullable Note note) {
        public People {
            rows = List.copyOf(rows);
        }

        public boolean wholeFirstPage() {
            return search.isEmpty() && newer == null;
        }
    }

    /**
     * {@code identity/people-live.jte}: what to send to a people page that is open somewhere. All of it may be sent twice.
     *
     * @param added who is new since the cursor, newest first
     * @param changed who is not new, and no longer as the page has it
     */
    public record PeopleChanges(List<PersonRow> added, List<PersonRow> changed, List<Long> removed, long total) {
        public PeopleChanges {
            added = List.copyOf(added);
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
        }
    }

    /** The form that makes a person, as it was typed; {@link #EMPTY} before. */
    public record NewPerson(String name, String email, String groups, boolean admin, Faults faults) {
        public static final NewPerson EMPTY = new NewPerson("", "", "", false, Faults.NONE);

        public boolean refused() {
            return !faults.equals(Faults.NONE);
        }
    }

    /**
     * {@code identity/person.jte}, for GET /people/{name} and refused posts below it.
     *
     * @param groups what stands in the groups field, separated by commas
     * @param sessions how many sessions are open
     * @param lastAdmin whether this is the only administrator who can sign in, who can be neither disabled, demoted nor deleted
     * @param faults of the fields {@code groups} and {@code password}, and of the page
     */
    public record Person(
            PersonRow person,
            String groups,
            int sessions,
            boolean lastAdmin,
            Faults faults,
            @Nullable Note note) {}

    /**
     * {@code identity/profile.jte}, for GET /profile and refused posts below it. A POST /profile/tokens that is granted answers
     * with this page itself and status 201, because the token's text is shown in that answer only; GET /profile/tokens (a
     * reload of it) answers 303 to /profile.
     *
     * @param scopes every scope that a token can be given, in the order they are offered
     * @param created the token that was just made
     * @param passwordFaults of the fields {@code current}, {@code password}, {@code again}
     * @param tokenForm what was typed for a new token; fields {@code name}, {@code scopes} (several), {@code days} (0 = never expires)
     * @param keyForm what was typed for a new key; fields {@code name}, {@code key}
     */
    public record Profile(
            PersonRow me,
            List<String> scopes,
            List<Token> tokens,
            @Nullable CreatedToken created,
            List<Key> keys,
            List<Session> sessions,
            Faults passwordFaults,
            TokenForm tokenForm,
            KeyForm keyForm,
            @Nullable Note note) {
        public Profile {
            scopes = List.copyOf(scopes);
            tokens = List.copyOf(tokens);
            keys = List.copyOf(keys);
            sessions = List.copyOf(sessions);
        }
    }

    /** An application token; its text is known to nobody but who made it. */
    public record Token(
            String id,
            String name,
            List<String> scopes,
            Instant created,
            @Nullable Instant expires,
            @Nullable Instant lastUsed) {
        public Token {
            scopes = List.copyOf(scopes);
        }
    }

    /** Shown once, and never kept. */
    public record CreatedToken(String name, String text) {
        @Override
        public String toString() {
            return "CreatedToken[" + name + "]";
        }
    }

    /** An SSH public key: its kind ({@code ssh-ed25519}) and {@code SHA256:…} fingerprint as ssh-keygen prints it. */
    public record Key(String id, String name, String kind, String fingerprint, Instant added) {}

    /** A signed-in browser; {@code client} is the user agent in short, {@code Firefox on Linux}. */
    public record Session(String id, String client, String address, Instant since, Instant lastSeen, boolean current) {}

    /** The form of a new token. */
    public record TokenForm(String name, List<String> scopes, int days, Faults faults) {
        public static final TokenForm EMPTY = new TokenForm("", List.of(), 90, Faults.NONE);

        public TokenForm {
            scopes = List.copyOf(scopes);
        }

        public boolean refused() {
            return !faults.equals(Faults.NONE);
        }
    }

    /** The form of a new SSH key. */
    public record KeyForm(String name, String key, Faults faults) {
        public static final KeyForm EMPTY = new KeyForm("", "", Faults.NONE);

        public boolean refused() {
            return !faults.equals(Faults.NONE);
        }
    }
}
