@NullMarked
package io.sluice.engines.process;

import org.jspecify.annotations.NullMarked;
