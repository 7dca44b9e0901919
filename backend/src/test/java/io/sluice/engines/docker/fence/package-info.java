@NullMarked
package io.sluice.engines.docker.fence;

import org.jspecify.annotations.NullMarked;
