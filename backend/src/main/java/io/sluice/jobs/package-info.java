/**
 * Owns jobs: what users submit, the queue, who gets which devices, every state a job goes through and its history. It never knows how an
 * engine runs a task, nor what a task prints, serves or measures.
 */
@NullMarked
package io.sluice.jobs;

import org.jspecify.annotations.NullMarked;
