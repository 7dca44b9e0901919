/** Owns files on their way out: piece by piece, as fast as they are taken, and how much memory that may take of all readers together. It never says who may read. */
@NullMarked
package io.sluice.files.sending;

import org.jspecify.annotations.NullMarked;
