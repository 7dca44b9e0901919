/** Owns archives on their way in: zip and tar, entry by entry, into a folder that nobody sees until it is whole. It believes nothing that they say. */
@NullMarked
package io.sluice.files.unpacking;

import org.jspecify.annotations.NullMarked;
