/** Owns what an administrator is told of how apps are reached here, and whether that works. Never changes it. */
@NullMarked
package io.sluice.endpoints.setup;

import org.jspecify.annotations.NullMarked;
