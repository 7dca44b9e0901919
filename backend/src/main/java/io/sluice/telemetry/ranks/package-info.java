/** Owns the tasks of a job beside one another: how far each is, which lags behind, which failed first; never collects anything itself. */
@NullMarked
package io.sluice.telemetry.ranks;

import org.jspecify.annotations.NullMarked;
