package io.sluice.endpoints.ssh;

import io.sluice.endpoints.ssh.between.Visit;
import io.sluice.endpoints.ssh.between.Visits;
import io.sluice.identity.keys.Keys;
import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.plugins.UserKeys;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Who may come by which key, where they are led to, and whether they may still be there. */
final class Guests {
    private final Keys keys;
    private final Places places;
    private final @Nullable Visits visits;

    /** @param visits where only tasks of jobs come, to others of the same job; null: everybody may come */
    Guests(Keys keys, Places places, @Nullable Visits visits) {
        this.keys = keys;
        this.places = places;
        this.visits = visits;
    }

    /** Empty: the key is not let in, or what is asked for is no name of a job. */
    Future<Optional<Guest>> welcome(@Nullable SocketAddress from, String name, String fingerprint) {
        if (visits != null) {
            return visits.at(from)
                    .map(visit -> welcome(visit, fingerprint))
                    .orElseGet(() -> Future.succeededFuture(Optional.empty()));
        }
        return Address.parse(name)
                .map(address -> keys.holders(List.of(fingerprint))
                        .compose(holders -> holders.isEmpty()
                                ? byJob(address, fingerprint)
                                : welcome(of(holders, address), address)))
                .orElseGet(() -> Future.succeededFuture(Optional.empty()));
    }

    /** Whatever name they give: it is a task that they ask for. */
    private Future<Optional<Guest>> welcome(Visit visit, String fingerprint) {
        Promise<Boolean> opened = Promise.promise();
        // a file is read, and the thread that asks is that of many connections
        Thread.ofVirtual().name("sluice-ssh-key").start(() -> {
            try {
                opened.complete(visit.isOpenedBy(fingerprint));
            } catch (IOException e) {
                opened.fail(e);
            }
        });
        var peers = visit.peers();
        var address = new Address(
                peers.user(), peers.job(), visit.to().role(), visit.to().index());
        var guest = new Guest(0, peers.user(), false, fingerprint, peers.number(), false, address);
        return opened.future().compose(opens -> opens ? enabled(guest) : Future.succeededFuture(Optional.empty()));
    }

    /**
     * Another's job that is named with its user may have brought the key. Without the user it is never another's, or a job could
     * wait for those who mistake its name.
     */
    private Future<Optional<Guest>> welcome(Guest holder, Address address) {
        return address.user() == null || holder.maySee(address.user())
                ? Future.succeededFuture(Optional.of(holder))
                : byJob(address, holder.fingerprint()).map(guest -> guest.or(() -> Optional.of(holder)));
    }

    /** Who holds the key and whose job it is come first; else an administrator. */
    private static Guest of(List<Keys.Holder> holders, Address address) {
        Keys.Holder one = holders.stream()
                .filter(holder -> holder.name().equals(address.user()))
                .findFirst()
                .or(() -> holders.stream().filter(Keys.Holder::admin).findFirst())
                .orElse(holders.getFirst());
        return new Guest(one.user(), one.name(), one.admin(), one.fingerprint(), null, holders.size() > 1, address);
    }

    private Future<Optional<Guest>> byJob(Address address, String fingerprint) {
        return places.active(address.job()).compose(active -> {
            Map<Long, Places.Active> named = active.stream()
                    .filter(job -> address.user() == null || job.user().equals(address.user()))
                    .collect(Collectors.toMap(Places.Active::job, job -> job));
            return named.isEmpty()
                    ? Future.succeededFuture(Optional.empty())
                    : places.specs(named.keySet()).compose(specs -> byJob(address, fingerprint, named, specs));
        });
    }

    private Future<Optional<Guest>> byJob(
            Address address, String fingerprint, Map<Long, Places.Active> named, Map<Long, JobSpec> specs) {
        List<Guest> guests = specs.entrySet().stream()
                .filter(spec -> UserKeys.of(spec.getValue()).fingerprints().contains(fingerprint))
                .flatMap(spec -> Optional.ofNullable(named.get(spec.getKey())).stream())
                .map(job -> new Guest(0, job.user(), false, fingerprint, job.job(), false, address))
                .toList();
        if (guests.size() != 1) {
            return Future.succeededFuture(Optional.empty());
        }
        return enabled(guests.getFirst());
    }

    /** The guest, unless the account is disabled. */
    private Future<Optional<Guest>> enabled(Guest guest) {
        return keys.enabled(List.of(guest.name()))
                .map(enabled -> enabled.isEmpty() ? Optional.empty() : Optional.of(guest));
    }

    /** Fails with {@link Place.Nowhere}. */
    Future<Place> place(Guest guest) {
        Address address = guest.address();
        if (guest.several() && address.user() == null) {
            return Future.failedFuture(
                    new Place.Nowhere("Several users have this key in their profiles. Say whose job you mean:"
                            + " <user>~" + address.job() + "@…"));
        }
        return places.active(address.job())
                .map(active -> active.stream()
                        .filter(job -> job.user().equals(address.user() == null ? guest.name() : address.user()))
                        .filter(job -> guest.maySee(job.user()))
                        .filter(job -> guest.job() == null || guest.job() == job.job())
                        .filter(job -> !job.tasks().isEmpty())
                        .findFirst()
                        .map(job -> place(job, address))
                        .orElseThrow(() -> new Place.Nowhere("Job " + address
                                + " is not found, or does not run. The name is that of a running job: <job>,"
                                + " <user>~<job>, <job>+<role>+<index>.")));
    }

    private static Place place(Places.Active job, Address address) {
        return job.tasks().stream()
                .filter(task -> address.role() == null || task.role().equals(address.role()))
                .filter(task -> address.index() == null || task.index() == address.index())
                .findFirst()
                .map(task -> new Place(job.job(), job.key(), task.role(), task.index(), task.run()))
                .orElseThrow(() -> new Place.Nowhere("Job " + job.key() + " has no such task that runs. There are: "
                        + job.tasks().stream()
                                .limit(20)
                                .map(task -> job.name() + "+" + task.role() + "+" + task.index())
                                .collect(Collectors.joining(", "))));
    }

    /** What holds at the moment. */
    record Standing(Set<Keys.Holder> holders, Set<String> enabled, Set<String> runs) {
        /** Why the guest has to go; empty: they may stay. */
        Optional<String> fault(Connection connection) {
            Guest guest = connection.guest();
            boolean known = guest.job() == null
                    ? holders.contains(new Keys.Holder(guest.fingerprint(), guest.user(), guest.name(), guest.admin()))
                    : enabled.contains(guest.name());
            return !known
                    ? Optional.of("revoked")
                    : connection.run().filter(run -> !runs.contains(run)).map(gone -> "task");
        }
    }

    Future<Standing> standing(Collection<Connection> open) {
        var holders = keys.holders(open.stream()
                .filter(one -> one.guest().job() == null)
                .map(one -> one.guest().fingerprint())
                .collect(Collectors.toSet()));
        var enabled = keys.enabled(open.stream()
                .filter(one -> one.guest().job() != null)
                .map(one -> one.guest().name())
                .collect(Collectors.toSet()));
        var runs = places.active()
                .map(active -> active.stream()
                        .flatMap(job -> job.tasks().stream())
                        .map(Places.Task::run)
                        .collect(Collectors.toSet()));
        return Future.all(holders, enabled, runs)
                .map(all ->
                        new Standing(new HashSet<>(holders.result()), new HashSet<>(enabled.result()), runs.result()));
    }
}
