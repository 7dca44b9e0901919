/** Owns the picture of one instant: who has which device, and what both do; keeps no earlier one. */
@NullMarked
package io.sluice.telemetry.observe;

import org.jspecify.annotations.NullMarked;
