/** Owns the links by which people let others have a file of theirs for a while. It never opens one. */
@NullMarked
package io.sluice.files.links;

import org.jspecify.annotations.NullMarked;
