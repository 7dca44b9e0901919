@NullMarked
package io.sluice.telemetry.exposition;

import org.jspecify.annotations.NullMarked;
