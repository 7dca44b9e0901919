/**
 * Owns the words in which tasks are started, stopped, watched, adopted and counted, whatever runs them; knows no job,
 * and uses no other room.
 */
@NullMarked
package io.sluice.engines;

import org.jspecify.annotations.NullMarked;
