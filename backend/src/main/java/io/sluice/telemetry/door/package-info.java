/** Owns the door to Prometheus for Grafana: who asks, what of it is theirs to know, and the question that is asked in their place. Never passes on a text that it did not write. */
@NullMarked
package io.sluice.telemetry.door;

import org.jspecify.annotations.NullMarked;
