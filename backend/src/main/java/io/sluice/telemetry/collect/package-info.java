/** Owns the running of the vendors' tools and what is known of this machine's devices by them; never waits for a tool that hangs. */
@NullMarked
package io.sluice.telemetry.collect;

import org.jspecify.annotations.NullMarked;
