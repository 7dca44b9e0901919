/** Owns the way to stores of objects: where each is, how it is asked, and what its answers mean. It keeps no file, and knows no user. */
@NullMarked
package io.sluice.files.stores;

import org.jspecify.annotations.NullMarked;
