/** Owns how much of a disk each user has taken, and how much they may. It never keeps a job from writing: only a file system can. */
@NullMarked
package io.sluice.files.quota;

import org.jspecify.annotations.NullMarked;
