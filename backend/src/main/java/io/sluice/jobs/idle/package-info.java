/**
 * Owns what is done to a job because its devices do nothing: the word in its history, its stop, its way back into the queue, and the key that
 * signs what is told outside. It never decides that a job is idle.
 */
@NullMarked
package io.sluice.jobs.idle;

import org.jspecify.annotations.NullMarked;
