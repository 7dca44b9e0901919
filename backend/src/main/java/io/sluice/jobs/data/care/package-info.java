/** Owns how what moves data is done: a few things at a time, by one gateway, again where it fails, and not for longer than it is wanted. */
@NullMarked
package io.sluice.jobs.data.care;

import org.jspecify.annotations.NullMarked;
