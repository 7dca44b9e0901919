/**
 * Owns the way into trees of files whose owners may rename, swap and link at any moment: from open folder to open folder, never by way of a
 * link, with the owner's own rights. It never knows what the files are for.
 */
@NullMarked
package io.sluice.files.tree;

import org.jspecify.annotations.NullMarked;
