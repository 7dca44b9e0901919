package io.sluice.logs.files;

/** Told of the instants between two steps of what must survive the death of the gateway at any of them. */
@FunctionalInterface
public interface Instants {
    Instants NONE = name -> {};

    void pass(String name);
}
