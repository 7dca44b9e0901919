@NullMarked
package io.sluice.telemetry.history;

import org.jspecify.annotations.NullMarked;
