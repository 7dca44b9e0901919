/** Owns how a Docker engine is spoken to: where it listens, each call within its time; never what is said. */
@NullMarked
package io.sluice.engines.docker.wire;

import org.jspecify.annotations.NullMarked;
