/** Owns the ways into a container that runs: which of its ports are free and which are open; never who may use them. */
@NullMarked
package io.sluice.engines.docker.inside;

import org.jspecify.annotations.NullMarked;
