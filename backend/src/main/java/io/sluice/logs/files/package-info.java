/** Owns the files of one log and how they are read: bytes by offset, time, lines, gaps; never knows who asks, nor a thread to wait on. */
@NullMarked
package io.sluice.logs.files;

import org.jspecify.annotations.NullMarked;
