@NullMarked
package io.sluice.engines.pipes;

import org.jspecify.annotations.NullMarked;
