/**
 * Owns the pages about many jobs: home and the list, and what is counted for them. It never decides anything about a job.
 */
@NullMarked
package io.sluice.jobs.overview;

import org.jspecify.annotations.NullMarked;
