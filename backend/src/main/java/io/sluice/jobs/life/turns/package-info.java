/** Owns which job is looked at when: one turn at a time for each, so many at once of all. What is done in a turn it does not know. */
@NullMarked
package io.sluice.jobs.life.turns;

import org.jspecify.annotations.NullMarked;
