@NullMarked
package io.sluice.files.unpacking;

import org.jspecify.annotations.NullMarked;
