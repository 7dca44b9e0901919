@NullMarked
package io.sluice.telemetry.ranks;

import org.jspecify.annotations.NullMarked;
