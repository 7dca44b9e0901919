/** Owns which folders a task sees, and where. It never opens one. */
@NullMarked
package io.sluice.jobs.mounts;

import org.jspecify.annotations.NullMarked;
