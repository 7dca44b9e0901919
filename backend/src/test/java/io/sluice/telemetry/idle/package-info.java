@NullMarked
package io.sluice.telemetry.idle;

import org.jspecify.annotations.NullMarked;
