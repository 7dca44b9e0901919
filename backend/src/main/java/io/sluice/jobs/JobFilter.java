package io.sluice.jobs;

import io.sluice.web.Caller;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs. An empty set is no condition.
 *
 * @param keyword a part of the user's, the job's or the virtual cluster's name
 * @param tags a job has at least one of them; of {@code withoutTags}, none
 * @param priorities as the classes are written, {@code default} for none
 */
public record JobFilter(
        Set<String> users,
        Set<String> virtualClusters,
        Set<Job.State> states,
        @Nullable String keyword,
        Set<String> tags,
        Set<String> withoutTags,
        Set<String> priorities) {
    public static final JobFilter ALL = new JobFilter(Set.of(), Set.of(), Set.of(), null, Set.of(), Set.of(), Set.of());

    public JobFilter {
        users = Set.copyOf(users);
        virtualClusters = Set.copyOf(virtualClusters);
        states = Set.copyOf(states);
        tags = Set.copyOf(tags);
        withoutTags = Set.copyOf(withoutTags);
        priorities = Set.copyOf(priorities);
    }

    /** Of these, what the caller may see: nothing of others, except for administrators. */
    public JobFilter seenBy(Caller caller) {
        if (caller.admin()) {
            return this;
        }
        boolean own = users.isEmpty() || users.contains(caller.name());
        return own ? of(caller.name()) : of("");
    }

    public JobFilter of(String user) {
        return new JobFilter(Set.of(user), virtualClusters, states, keyword, tags, withoutTags, priorities);
    }

    public JobFilter in(Set<Job.State> states) {
        return new JobFilter(users, virtualClusters, states, keyword, tags, withoutTags, priorities);
    }

    public JobFilter tagged(Set<String> tags) {
        return new JobFilter(users, virtualClusters, states, keyword, tags, withoutTags, priorities);
    }

    public JobFilter naming(@Nullable String keyword) {
        return new JobFilter(users, virtualClusters, states, keyword, tags, withoutTags, priorities);
    }

    /** The fields that a list can be ordered by, with OpenPAI's names. */
    public enum Order {
        jobName("name"),
        submissionTime("submitted"),
        username("user_name"),
        vc("virtual_cluster"),
        retries("retries"),
        totalTaskNumber("tasks"),
        totalGpuNumber("devices"),
        state("shown"),
        completionTime("completed"),
        jobPriority("priority_class");

        final String column;

        Order(String column) {
            this.column = column;
        }
    }

    /** A piece of a list by number, as OpenPAI's clients ask for it. */
    public record Slice(Order order, boolean descending, int offset, int limit) {
        public boolean isNewest() {
            return order == Order.submissionTime && descending;
        }
    }

    /** @param next where the following page begins, null: this is the last */
    public record Page(List<Job.Summary> jobs, @Nullable String next) {}

    /**
     * @param cursor where the next question begins
     * @param cut there are more than are told here, and nobody will tell them: whoever shows jobs has to read them anew
     */
    public record Changes(List<Job> jobs, String cursor, boolean cut) {}
}
