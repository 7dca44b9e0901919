/** Owns files on their way in: what has come of them, kept over restarts, and there under their name at one blow when they are whole. */
@NullMarked
package io.sluice.files.uploads;

import org.jspecify.annotations.NullMarked;
