@NullMarked
package io.sluice.files.packing;

import org.jspecify.annotations.NullMarked;
