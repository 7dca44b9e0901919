/**
 * Owns the saving of running tasks as images: who may, and what has become of it. It never speaks with an engine but by its door, and keeps
 * nothing: which images there are, the engine knows.
 */
@NullMarked
package io.sluice.jobs.saving;

import org.jspecify.annotations.NullMarked;
