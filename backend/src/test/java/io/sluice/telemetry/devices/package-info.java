@NullMarked
package io.sluice.telemetry.devices;

import org.jspecify.annotations.NullMarked;
