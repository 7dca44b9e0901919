/** Owns the decision that a job is idle, by its virtual cluster's rule, and what follows from it; never measures, and sends nothing itself. */
@NullMarked
package io.sluice.telemetry.idle;

import org.jspecify.annotations.NullMarked;
