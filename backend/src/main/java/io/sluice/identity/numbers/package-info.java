/** Owns by which number machines know a person; never what belongs to that number there. */
@NullMarked
package io.sluice.identity.numbers;

import org.jspecify.annotations.NullMarked;
