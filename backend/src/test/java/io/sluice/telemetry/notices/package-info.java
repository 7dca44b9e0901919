@NullMarked
package io.sluice.telemetry.notices;

import org.jspecify.annotations.NullMarked;
