/** Owns what is remembered of tasks and devices, in memory, in the database and in Prometheus; needs none of the three to be up. */
@NullMarked
package io.sluice.telemetry.history;

import org.jspecify.annotations.NullMarked;
