package io.sluice.logs.files;

import java.io.IOException;

/** Asked by work that takes long, every few milliseconds: whether to go on. It may wait. */
@FunctionalInterface
public interface GoOn {
    boolean goesOn() throws IOException;
}
