/**
 * Owns programs that are run inside of tasks, and the question who listens on a port. Knows no run's folder but by its
 * path.
 */
@NullMarked
package io.sluice.engines.process.exec;

import org.jspecify.annotations.NullMarked;
