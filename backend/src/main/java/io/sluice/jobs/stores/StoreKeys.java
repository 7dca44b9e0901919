package io.sluice.jobs.stores;

import io.sluice.database.Database;
import io.sluice.files.stores.AccessKey;
import io.sluice.files.stores.StoreAddress;
import io.sluice.files.stores.Stores;
import io.sluice.identity.Identity;
import io.sluice.jobs.protocol.data.Data;
import io.sluice.web.Caller;
import io.sluice.web.Problem;
import io.sluice.web.Route;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The door to the stores of objects as each user has them: with an access key of their own, whose secret nobody is shown again. */
public final class StoreKeys {
    /** What can stand in a header. */
    private static final Pattern PLAIN = Pattern.compile("[\\x21-\\x7e]{1,200}");

    /** Opens and closes secrets for their holder. */
    public interface Vault {
        byte[] seal(String secret, String holder);

        String open(byte[] sealed, String holder);
    }

    /** An access key that somebody has left here. */
    public record Kept(String store, String id, Instant changed) {}

    private final Stores stores;
    private final StoreKeyStore keys;
    private final Vault vault;

    public StoreKeys(Stores stores, Database database, Vault vault) {
        this.stores = stores;
        this.keys = new StoreKeyStore(database);
        this.vault = vault;
    }

    public List<Route> routes() {
        return new StoreRoutes(this).routes();
    }

    public Stores stores() {
        return stores;
    }

    Future<List<Kept>> of(Caller caller) {
        return keys.of(caller.id());
    }

    public Future<Void> put(Caller caller, String store, AccessKey key) {
        known(store);
        if (!PLAIN.matcher(key.id()).matches() || !PLAIN.matcher(key.secret()).matches()) {
            return Future.failedFuture(Problem.invalid(
                    "An access key and its secret have 1 to 200 letters, digits and signs each, and no spaces."));
        }
        return keys.put(
                        caller.id(),
                        store,
                        key.id(),
                        Buffer.buffer(vault.seal(key.secret(), holder(caller.id(), store))))
                .onSuccess(
                        put -> Identity.audit("store-key-set", "store", store, "key", key.id(), "by", caller.name()));
    }

    private void known(String store) {
        if (stores.named(store).isEmpty()) {
            throw Problem.of(
                    Problem.Kind.NOT_FOUND,
                    "NoStoreError",
                    "There is no store " + store + " here. Stores: "
                            + String.join(
                                    ", ",
                                    stores.all().stream()
                                            .map(StoreAddress::name)
                                            .toList()) + ".");
        }
    }

    Future<Boolean> remove(Caller caller, String store) {
        known(store);
        return keys.remove(caller.id(), store)
                .onSuccess(removed -> Identity.audit("store-key-removed", "store", store, "by", caller.name()));
    }

    private static String holder(long user, String store) {
        return "store~" + user + "~" + store;
    }

    /** Empty: they have left none for it. */
    public Future<Optional<AccessKey>> key(long user, StoreAddress store) {
        return keys.sealed(user, store.name())
                .map(found -> found.map(one ->
                        new AccessKey(one.id(), vault.open(one.secret().getBytes(), holder(user, store.name())))));
    }

    /** Why a job of this user can have none of its data from a store, or bring none there. */
    public Future<Optional<Problem>> barred(long user, Data data) {
        Set<String> wanted = new LinkedHashSet<>();
        for (Data.Named one : Stream.concat(data.fetched().stream(), data.returned().stream())
                .filter(Data.Named::isInStore)
                .toList()) {
            try {
                wanted.add(stores.place(one.inStore()).store().name());
            } catch (IllegalArgumentException e) {
                return Future.succeededFuture(Optional.of(
                        Problem.of(Problem.Kind.INVALID, "NoStoreError", one.name() + ": " + e.getMessage())));
            }
        }
        if (wanted.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return keys.of(user).map(kept -> {
            wanted.removeAll(kept.stream().map(Kept::store).collect(Collectors.toSet()));
            return wanted.stream()
                    .findFirst()
                    .map(store -> Problem.of(
                            Problem.Kind.INVALID,
                            "NoStoreKeyError",
                            "You have left no access key for store " + store
                                    + " here. Write it under Stores on your profile page, and submit the job again."));
        });
    }
}
