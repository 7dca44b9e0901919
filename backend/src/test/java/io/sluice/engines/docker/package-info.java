@NullMarked
package io.sluice.engines.docker;

import org.jspecify.annotations.NullMarked;
