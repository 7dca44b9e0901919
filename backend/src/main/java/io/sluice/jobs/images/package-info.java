/**
 * Owns the catalogue of images: which there are, in which versions, what is in each and on which devices it runs. It never pulls one, and keeps
 * no job from naming another.
 */
@NullMarked
package io.sluice.jobs.images;

import org.jspecify.annotations.NullMarked;
