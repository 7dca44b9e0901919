/** Owns with what each user shows a store of objects who they are. It asks no store. */
@NullMarked
package io.sluice.jobs.stores;

import org.jspecify.annotations.NullMarked;
