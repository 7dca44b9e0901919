package io.sluice.jobs.mounts;

import io.sluice.engines.Task;
import io.sluice.files.Files;
import io.sluice.files.shares.Held;
import io.sluice.jobs.gang.Contract;
import io.sluice.jobs.gang.PaiVariables;
import io.sluice.jobs.protocol.JobSpec;
import io.sluice.jobs.protocol.data.Data;
import io.sluice.web.Problem;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The door to what tasks see of folders: their user's home, what is shared with that user, what the job leaves behind. */
public final class Mounts {
    private final Files files;

    public Mounts(Files files) {
        this.files = files;
    }

    /** The first storage that a job wants and that this user has not. */
    public Future<Optional<String>> missing(long user, JobSpec spec) {
        List<JobSpec.Storage> wanted = spec.storages();
        if (wanted == null || wanted.isEmpty()) {
            return Future.succeededFuture(Optional.empty());
        }
        return files.shares(user).map(held -> {
            Set<String> names = held.stream().map(one -> one.share().name()).collect(Collectors.toSet());
            return wanted.stream()
                    .map(JobSpec.Storage::name)
                    .filter(name -> !names.contains(name))
                    .findFirst();
        });
    }

    /** Why this user's jobs are not taken: what they keep is more than they may. */
    public Future<Optional<Problem>> barred(long user) {
        return files.barred(user);
    }

    /** As the user has them at this moment. It waits. */
    public List<Task.Mount> of(long user, String name, long number, String job, JobSpec spec, Path told)
            throws IOException {
        Map<String, Task.Mount> all = new LinkedHashMap<>();
        List<Held> shares = files.shares(user).await();
        // what is asked for stands before what comes by itself
        for (boolean asked : List.of(false, true)) {
            for (Held held : shares) {
                String target = target(held, spec.storages(), asked);
                if (target != null) {
                    put(all, new Task.Mount(files.share(held.share()), target, !held.writable()));
                }
            }
        }
        // what every task has, whatever it asks for
        put(all, new Task.Mount(files.home(user, name), PaiVariables.HOME, false));
        if (!spec.data().fetched().isEmpty()) {
            put(all, new Task.Mount(files.input(user, name, number), Data.INPUT, false));
        }
        put(all, new Task.Mount(told, Contract.FOLDER, true));
        put(all, new Task.Mount(files.output(user, name, job), Contract.OUTPUT, false));
        return List.copyOf(all.values());
    }

    /** Where a job sees a share, because it asks for it or because it comes by itself; null: not so. */
    private static @Nullable String target(Held held, @Nullable List<JobSpec.Storage> wanted, boolean asked) {
        Optional<JobSpec.Storage> named = (wanted == null ? List.<JobSpec.Storage>of() : wanted)
                .stream().filter(one -> one.name().equals(held.share().name())).findFirst();
        if (named.isPresent() != asked) {
            return null;
        }
        String path = named.map(JobSpec.Storage::mountPath).orElse(null);
        return path != null
                ? path
                : asked || held.share().everywhere() ? held.share().mount() : null;
    }

    private static void put(Map<String, Task.Mount> all, Task.Mount mount) {
        all.put(mount.target(), mount);
    }

    /** Of a job of which nothing runs any more. */
    public void tidy(long user, String job) throws IOException {
        files.tidyOutput(user, job);
    }
}
