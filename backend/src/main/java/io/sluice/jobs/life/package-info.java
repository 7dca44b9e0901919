/**
 * Owns the way of a job from the queue to its end: who gets which machines, what an engine is told, what its answers mean, and what comes
 * next. Only the gateway that leads acts here; it never takes a job in, nor shows one.
 */
@NullMarked
package io.sluice.jobs.life;

import org.jspecify.annotations.NullMarked;
