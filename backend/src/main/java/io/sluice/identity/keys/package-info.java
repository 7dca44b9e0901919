/** Owns whose an SSH key is, and whether that still holds. It never decides what its holder may reach. */
@NullMarked
package io.sluice.identity.keys;

import org.jspecify.annotations.NullMarked;
