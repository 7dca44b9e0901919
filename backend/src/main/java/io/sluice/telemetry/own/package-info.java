/** Owns the Prometheus that the gateway runs itself where one is installed and no other was named: its configuration, its life, and who may ask it. */
@NullMarked
package io.sluice.telemetry.own;

import org.jspecify.annotations.NullMarked;
