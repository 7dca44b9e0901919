/**
 * Owns what is known of a job before it is submitted: its faults, whether its name is free, whether it fits; and the texts to begin with. It
 * stores no job and starts none.
 */
@NullMarked
package io.sluice.jobs.drafts;

import org.jspecify.annotations.NullMarked;
