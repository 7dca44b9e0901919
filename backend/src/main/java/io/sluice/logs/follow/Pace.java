package io.sluice.logs.follow;

/**
 * How a viewer wants to be served.
 *
 * @param window bytes that may be on their way beyond what the viewer has dealt with; 0: as many as the connection takes
 * @param jump bytes behind the end after which the viewer is moved there; 0: never
 */
public record Pace(long window, long jump) {}
