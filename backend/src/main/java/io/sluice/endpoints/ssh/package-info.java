/**
 * Owns the way into tasks by SSH: who is let in by which key, and what goes on there: shells, commands, files, ports. Never runs anything
 * outside of a task, and has no files of its own but its host key.
 */
@NullMarked
package io.sluice.endpoints.ssh;

import org.jspecify.annotations.NullMarked;
