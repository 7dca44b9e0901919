@NullMarked
package io.sluice.identity;

import org.jspecify.annotations.NullMarked;
