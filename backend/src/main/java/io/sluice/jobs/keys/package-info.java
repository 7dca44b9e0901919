/** Owns the files in the data folder that keys lie in. What a key opens or signs is its owner's. */
@NullMarked
package io.sluice.jobs.keys;

import org.jspecify.annotations.NullMarked;
