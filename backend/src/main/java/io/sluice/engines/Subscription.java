package io.sluice.engines;

/** Ends a watch. */
@FunctionalInterface
public interface Subscription {

    void cancel();
}
