/** Owns what the tasks of an attempt are told of one another, in every form that a script may expect; never starts one. */
@NullMarked
package io.sluice.jobs.gang;

import org.jspecify.annotations.NullMarked;
