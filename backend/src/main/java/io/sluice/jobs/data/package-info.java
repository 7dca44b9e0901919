/**
 * Owns the way of data to a job and from it: fetched before its tasks begin, brought back while they run and at the end. It never starts a
 * task nor ends one.
 */
@NullMarked
package io.sluice.jobs.data;

import org.jspecify.annotations.NullMarked;
