/** Owns how a file goes to a store, and what is remembered of it: which versions a store has, which uploads in parts are not finished. It chooses no file. */
@NullMarked
package io.sluice.jobs.data.back;

import org.jspecify.annotations.NullMarked;
