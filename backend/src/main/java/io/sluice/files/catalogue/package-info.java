/**
 * Owns how catalogues are kept: what people propose and administrators accept, as rows, as an interface for programs and as pages. It never
 * knows what an entry tells of.
 */
@NullMarked
package io.sluice.files.catalogue;

import org.jspecify.annotations.NullMarked;
