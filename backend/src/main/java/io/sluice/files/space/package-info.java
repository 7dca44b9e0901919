/** Owns what is done in one tree of files: listing, changing, copying, the bin and finding by name. It waits for disks, and never knows HTTP. */
@NullMarked
package io.sluice.files.space;

import org.jspecify.annotations.NullMarked;
