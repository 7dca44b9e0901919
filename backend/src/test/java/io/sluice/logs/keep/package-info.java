@NullMarked
package io.sluice.logs.keep;

import org.jspecify.annotations.NullMarked;
