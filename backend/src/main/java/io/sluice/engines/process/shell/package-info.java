/** Owns how words are written so that bash reads them back as they were. Knows nothing of what they say. */
@NullMarked
package io.sluice.engines.process.shell;

import org.jspecify.annotations.NullMarked;
