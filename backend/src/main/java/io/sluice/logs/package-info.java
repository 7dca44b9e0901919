/**
 * Owns what tasks print once it is in their files: following, searching, indexing, keeping and deleting it; never stands between a task and
 * its file, and never knows how tasks are run.
 */
@NullMarked
package io.sluice.logs;

import org.jspecify.annotations.NullMarked;
