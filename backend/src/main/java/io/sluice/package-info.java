/**
 * Owns the start: reads the settings and builds every room. It never does a room's work.
 */
@NullMarked
package io.sluice;

import org.jspecify.annotations.NullMarked;
