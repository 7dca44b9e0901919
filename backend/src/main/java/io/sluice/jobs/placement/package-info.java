/**
 * Owns the order of the queue and the choice of machines and devices: from a picture of both it decides what starts, what
 * gives way, and why the rest waits. It is arithmetic: no clock, no input or output, nothing remembered.
 */
@NullMarked
package io.sluice.jobs.placement;

import org.jspecify.annotations.NullMarked;
