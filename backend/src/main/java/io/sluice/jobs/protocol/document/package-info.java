/**
 * Owns the way from bytes to a tree whose every node knows its place, for YAML and JSON, within limits; knows nothing of
 * jobs.
 */
@NullMarked
package io.sluice.jobs.protocol.document;

import org.jspecify.annotations.NullMarked;
