/**
 * Owns the catalogue of datasets: what each is called, where it lies, how large it is and which groups may see it. It never opens a file of one,
 * beyond counting them. How entries of catalogues stand with the administrator is told here for others, too.
 */
@NullMarked
package io.sluice.files.catalogue;

import org.jspecify.annotations.NullMarked;
