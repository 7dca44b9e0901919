/** Owns what is between the end of a task and the next one on its devices; never looks at a device itself. */
@NullMarked
package io.sluice.jobs.release;

import org.jspecify.annotations.NullMarked;
