/**
 * Owns the job protocols of OpenPAI (v1 and v2): from a text to a job, with every fault and its place, and back. Pure: it
 * never waits, starts, stores or looks anything up.
 */
@NullMarked
package io.sluice.jobs.protocol;

import org.jspecify.annotations.NullMarked;
