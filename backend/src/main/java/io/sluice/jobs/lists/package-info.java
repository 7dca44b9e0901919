/**
 * Owns leafing through jobs: page by page, in several orders, by key, quick however many there are. It never changes a job.
 */
@NullMarked
package io.sluice.jobs.lists;

import org.jspecify.annotations.NullMarked;
