/** Owns what is remembered of outputs on their way: which versions of files a store has, and which uploads in parts are not finished. It sends nothing. */
@NullMarked
package io.sluice.jobs.data.back;

import org.jspecify.annotations.NullMarked;
