package io.sluice.jobs.protocol.document;

/**
 * What a document may be at most. The number of items counts what aliases stand for, so that a few lines can not become
 * millions.
 */
public record Limits(int bytes, int depth, int items) {
    public static final Limits DEFAULT = new Limits(1024 * 1024, 50, 100_000);
}
