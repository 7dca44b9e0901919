@NullMarked
package io.sluice.telemetry.collect;

import org.jspecify.annotations.NullMarked;
