/**
 * Owns the catalogue of datasets: what each is called, where it lies, how large it is and which groups may see it. It never opens a file of one,
 * beyond counting them.
 */
@NullMarked
package io.sluice.files.datasets;

import org.jspecify.annotations.NullMarked;
