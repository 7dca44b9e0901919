@NullMarked
package io.sluice.telemetry.tasks;

import org.jspecify.annotations.NullMarked;
