/** Owns the text that Prometheus reads; never keeps a sample longer than the next one takes. */
@NullMarked
package io.sluice.telemetry.exposition;

import org.jspecify.annotations.NullMarked;
