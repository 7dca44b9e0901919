/**
 * Owns the pages about jobs: home, the list, one job, submitting. It never decides anything about a job, and knows no other room's panel but
 * its address.
 */
@NullMarked
package io.sluice.jobs.pages;

import org.jspecify.annotations.NullMarked;
