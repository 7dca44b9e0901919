package io.sluice.jobs.lists;

import io.sluice.database.Database;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The door to where jobs are at the moment, for rooms that do something beside their tasks. */
public final class Places {
    private final PlaceStore store;

    public Places(Database database) {
        this.store = new PlaceStore(database);
    }

    /** A job that holds machines, with those of its tasks that run. */
    public record Active(long job, String user, String name, int attempt, List<Task> tasks) {
        public Active {
            tasks = List.copyOf(tasks);
        }

        public String key() {
            return user + "~" + name;
        }
    }

    /** @param run what the engine calls it */
    public record Task(long id, String role, int index, String run, Map<String, List<Integer>> ports) {}

    public Future<List<Active>> active() {
        return store.active();
    }

    /** Those of this name, of whichever user. */
    public Future<List<Active>> active(String name) {
        return store.active(name);
    }

    /** What these jobs ask for, of which one or the other asks for something beside its tasks. */
    public Future<Map<Long, JobSpec>> specs(Collection<Long> jobs) {
        return store.specs(jobs);
    }

    /** What is known of a job's end. */
    public enum Course {
        /** Nothing: it goes on, or is tried again. */
        GOING,
        /** It will be over for good as soon as what runs of it has been stopped. */
        ENDING,
        OVER
    }

    public Future<Course> course(long job) {
        return store.course(job);
    }

    /** Of these jobs, those that are over for good. */
    public Future<List<Long>> over(Collection<Long> jobs) {
        return store.over(jobs);
    }
}
