/** Owns what a task takes of its machine, as the kernel counts it; never knows what the task is for. */
@NullMarked
package io.sluice.telemetry.tasks;

import org.jspecify.annotations.NullMarked;
