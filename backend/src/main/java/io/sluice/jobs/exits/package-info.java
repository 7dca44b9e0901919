/**
 * Owns why tasks end: OpenPAI's catalogue of exit codes, and how a code and the end of an output tell the cause. Pure; it
 * never decides what happens next.
 */
@NullMarked
package io.sluice.jobs.exits;

import org.jspecify.annotations.NullMarked;
