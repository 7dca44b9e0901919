@NullMarked
package io.sluice.engines;

import org.jspecify.annotations.NullMarked;
