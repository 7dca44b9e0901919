/** Owns folders on their way out as one file: zip and tar, piece by piece as they are read. It never holds more than a piece. */
@NullMarked
package io.sluice.files.packing;

import org.jspecify.annotations.NullMarked;
