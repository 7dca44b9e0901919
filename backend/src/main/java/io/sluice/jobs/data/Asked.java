package io.sluice.jobs.data;

import io.sluice.jobs.protocol.JobSpec;

/** An attempt of a job whose data is to be moved, and the epoch of who asks for it. */
public record Asked(long job, int attempt, long epoch, long userId, String user, String name, JobSpec spec) {}
