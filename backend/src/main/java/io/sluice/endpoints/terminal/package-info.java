/**
 * Owns terminals in running tasks: who has which, what was last on them, and when they end. Never says who may have one; what comes out of
 * a task goes to its viewer as it is, and is never looked into.
 */
@NullMarked
package io.sluice.endpoints.terminal;

import org.jspecify.annotations.NullMarked;
