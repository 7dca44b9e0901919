/** Owns how much a container may use of its machine; never what it may reach. */
@NullMarked
package io.sluice.engines.docker.limits;

import org.jspecify.annotations.NullMarked;
