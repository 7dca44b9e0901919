@NullMarked
package io.sluice.telemetry.door;

import org.jspecify.annotations.NullMarked;
