package io.sluice.files.links;

import java.time.Instant;

/**
 * A way for others to something of somebody's.
 *
 * @param space whose files it is in, as addresses name them
 * @param path encoded
 * @param opened how often
 */
public record Link(long id, String space, String path, Instant expires, int opened) {}
