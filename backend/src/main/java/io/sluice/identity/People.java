package io.sluice.identity;

import io.sluice.database.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Users and groups, and the rules that hold for them whoever asks. */
final class People {
    static final Pattern NAME = Pattern.compile("[\\w.-]{1,64}");
    static final Pattern GROUP = Pattern.compile("[A-Za-z0-9_]{1,64}");
    static final Pattern EMAIL = Pattern.compile("[^@\\s\\p{Cntrl}]{1,64}@[^@\\s\\p{Cntrl}]{1,190}");
    static final int MOST_KEYS = 50;
    /** Names that mean something else in a path. */
    private static final Set<String> RESERVED = Set.of("me", ".", "..");

    private static final long COUNT_NANOS = 30_000_000_000L;

    /** @param gone deleted: nobody any more, but what was theirs still names them */
    record User(
            long id,
            String name,
            String email,
            boolean admin,
            boolean disabled,
            boolean gone,
            List<String> groups,
            List<String> virtualClusters,
            JsonObject extension,
            @Nullable String language,
            @Nullable String theme,
            Instant created,
            @Nullable Instant lastSeen) {}

    record Group(String name, String description, String externalName, JsonObject extension) {}

    /** @param added of these users, who is new; only where it was asked what changed */
    record Page(List<User> users, List<Long> added, String cursor) {}

    /** What to change of a user; null leaves it. {@code survivor} is a session that a new password does not end. */
    record Change(
            @Nullable String email,
            @Nullable String password,
            @Nullable Boolean admin,
            @Nullable Boolean disabled,
            boolean delete,
            @Nullable List<String> groups,
            @Nullable List<String> virtualClusters,
            @Nullable JsonObject extension,
            @Nullable List<SshKey> keys,
            @Nullable String survivor) {
        static final Change NONE = new Change(null, null, null, null, false, null, null, null, null, null);

        Change email(@Nullable String email) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        /** @param hash as {@link Passwords} made it */
        Change password(@Nullable String hash, @Nullable String survivor) {
            return new Change(email, hash, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        Change admin(@Nullable Boolean admin) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        Change disabled(boolean disabled) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        Change deleted() {
            return new Change(
                    email, password, admin, disabled, true, groups, virtualClusters, extension, keys, survivor);
        }

        Change groups(@Nullable List<String> groups) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        Change virtualClusters(@Nullable List<String> virtualClusters) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        Change extension(@Nullable JsonObject extension) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        /** All keys that somebody is to have from now on. */
        Change keys(@Nullable List<SshKey> keys) {
            return new Change(
                    email, password, admin, disabled, delete, groups, virtualClusters, extension, keys, survivor);
        }

        boolean removesAdministrator() {
            return delete || Boolean.FALSE.equals(admin) || Boolean.TRUE.equals(disabled);
        }

        boolean endsSessions() {
            return delete || password != null || Boolean.TRUE.equals(disabled);
        }

        boolean touchesCredentials() {
            return endsSessions() || admin != null || disabled != null;
        }

        @Override
        public String toString() {
            return "Change[]";
        }
    }

    /** Why a user was not made or changed. */
    enum Refusal {
        NAME_TAKEN,
        NO_USER,
        NO_GROUP,
        LAST_ADMINISTRATOR
    }

    /** Either somebody, or why not. */
    record Outcome(@Nullable User user, @Nullable Refusal refusal) {}

    private final PeopleStore store;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable Total total;

    private record Total(long people, long read, long change) {}

    People(PeopleStore store) {
        this.store = store;
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches() && !RESERVED.contains(name.toLowerCase(java.util.Locale.ROOT));
    }

    Future<Optional<User>> named(String name) {
        return NAME.matcher(name).matches() ? store.named(name) : Future.succeededFuture(Optional.empty());
    }

    Future<User> numbered(long id) {
        return store.numbered(id).map(Optional::orElseThrow);
    }

    Future<Outcome> add(String name, String password, Change rest) {
        return store.add(
                        name, Optional.ofNullable(rest.email()).orElse(""), password, Boolean.TRUE.equals(rest.admin()))
                .compose(user -> change(user.id(), rest.admin(null)))
                .recover(failure -> Database.isConflict(failure, "users_name")
                        ? Future.succeededFuture(new Outcome(null, Refusal.NAME_TAKEN))
                        : Future.failedFuture(failure));
    }

    Future<Outcome> change(long id, Change change) {
        return store.change(id, change)
                .compose(changed -> changed.map(user -> Future.succeededFuture(new Outcome(user, null)))
                        .orElseGet(() -> store.numbered(id)
                                .map(user -> new Outcome(
                                        null, user.isPresent() ? Refusal.LAST_ADMINISTRATOR : Refusal.NO_USER))))
                .recover(failure -> Database.isConflict(failure, "memberships_group_name_fkey")
                        ? Future.succeededFuture(new Outcome(null, Refusal.NO_GROUP))
                        : Future.failedFuture(failure));
    }

    Future<List<User>> all() {
        return store.all();
    }

    Future<Page> page(String prefix, long edge, boolean upwards, int limit) {
        return store.page(prefix, edge, upwards, limit);
    }

    Future<Page> since(String cursor, int limit) {
        return store.since(cursor, limit);
    }

    Future<Boolean> isLastAdministrator(User user) {
        return store.isLastAdministrator(user.id());
    }

    Future<Void> prefer(long user, @Nullable String language, @Nullable String theme) {
        return store.prefer(user, language, theme);
    }

    /** The groups that somebody sees: all, or those of which they are. */
    Future<List<Group>> groups(@Nullable Long member) {
        return store.groups(member);
    }

    Future<Optional<Group>> group(String name) {
        return store.group(name);
    }

    /** False when it is there already. */
    Future<Boolean> addGroup(Group group) {
        return store.addGroup(group);
    }

    Future<Boolean> changeGroup(Group group) {
        return store.changeGroup(group);
    }

    Future<Boolean> removeGroup(String name) {
        return store.removeGroup(name);
    }

    Future<List<User>> members(String group) {
        return store.members(group);
    }

    Future<List<SshKey>> keys(long user) {
        return store.keys(user);
    }

    Future<Map<Long, List<SshKey>>> keysOf(List<User> users) {
        return store.keysOf(users.stream().map(User::id).toList());
    }

    /** False when there are as many as allowed; fails when it is there already, see {@link #isThere}. */
    Future<Boolean> addKey(long user, SshKey key) {
        return store.addKey(user, key, MOST_KEYS);
    }

    static boolean isThere(Throwable failure) {
        return Database.isConflict(failure, "ssh_keys_once");
    }

    /** The name of the key that was removed. */
    Future<Optional<String>> removeKey(long user, long key) {
        return store.removeKey(user, key);
    }

    /** How many there are; known for a while, and asked again after {@link #forgetTotal}. */
    Future<Long> total() {
        Total known = total;
        long now = System.nanoTime();
        long change = changes.get();
        if (known != null && known.change == change && now - known.read < COUNT_NANOS) {
            return Future.succeededFuture(known.people);
        }
        return store.count().onSuccess(people -> total = new Total(people, now, change));
    }

    void forgetTotal() {
        changes.incrementAndGet();
    }

    /** An SSH public key; {@code body} is the line without its comment. */
    record SshKey(long id, String name, String kind, String body, String fingerprint, Instant added) {
        private static final Map<String, Integer> LEAST_BYTES = Map.of(
                "ssh-ed25519", 51,
                "ecdsa-sha2-nistp256", 104,
                "ecdsa-sha2-nistp384", 136,
                "ecdsa-sha2-nistp521", 172,
                "sk-ssh-ed25519@openssh.com", 74,
                "sk-ecdsa-sha2-nistp256@openssh.com", 127,
                "ssh-rsa", 0);
        private static final int RSA_BITS = 2048;

        /** A text that is no key that we take; {@code fault} names what the page says about it. */
        static final class Unfit extends RuntimeException {
            private static final long serialVersionUID = 1;
            final String fault;

            Unfit(String fault) {
                super(fault, null, false, false);
                this.fault = fault;
            }
        }

        static SshKey parse(String text, String name) {
            if (text.contains("PRIVATE KEY")) {
                throw new Unfit("fault.keyPrivate");
            }
            String[] parts = text.strip().split("[ \t]+", 3);
            if (parts.length < 2 || text.strip().lines().count() != 1 || !LEAST_BYTES.containsKey(parts[0])) {
                throw new Unfit("fault.key");
            }
            byte[] blob = blob(parts[0], parts[1]);
            String comment = parts.length > 2 ? parts[2].replaceAll("\\p{Cntrl}", "") : parts[0];
            String called = name.isBlank() ? comment.substring(0, Math.min(60, comment.length())) : name.strip();
            String body = parts[0] + " " + Base64.getEncoder().encodeToString(blob);
            return new SshKey(0, called, parts[0], body, fingerprint(blob), Instant.EPOCH);
        }

        private static byte[] blob(String kind, String base64) {
            try {
                byte[] blob = Base64.getDecoder().decode(base64);
                var fields = ByteBuffer.wrap(blob);
                if (!kind.equals(new String(field(fields), StandardCharsets.US_ASCII))) {
                    throw new Unfit("fault.key");
                }
                check(kind, fields, blob.length);
                return blob;
            } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
                throw new Unfit("fault.key");
            }
        }

        private static void check(String kind, ByteBuffer fields, int length) {
            if (kind.equals("ssh-rsa")) {
                field(fields);
                if (new java.math.BigInteger(field(fields)).bitLength() < RSA_BITS) {
                    throw new Unfit("fault.keyWeak");
                }
            } else {
                while (fields.hasRemaining()) {
                    field(fields);
                }
            }
            if (fields.hasRemaining() || length < LEAST_BYTES.getOrDefault(kind, 0)) {
                throw new Unfit("fault.key");
            }
        }

        private static byte[] field(ByteBuffer fields) {
            int length = fields.getInt();
            if (length < 0 || length > fields.remaining()) {
                throw new Unfit("fault.key");
            }
            byte[] field = new byte[length];
            fields.get(field);
            return field;
        }

        private static String fingerprint(byte[] blob) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(blob);
                return "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(digest);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
