/**
 * Owns tasks as processes of this machine: their roots, limits, supervisors and folders; never a byte of their output,
 * which the operating system writes.
 */
@NullMarked
package io.sluice.engines.process;

import org.jspecify.annotations.NullMarked;
