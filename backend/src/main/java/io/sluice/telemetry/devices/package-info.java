/** Owns what the vendors' tools print and what it means; runs none of them, and never makes a value of what is absent. */
@NullMarked
package io.sluice.telemetry.devices;

import org.jspecify.annotations.NullMarked;
