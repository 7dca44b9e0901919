/** Owns images: what they are called, whether they are there, fetching them, and who may have them; never containers. */
@NullMarked
package io.sluice.engines.docker.images;

import org.jspecify.annotations.NullMarked;
