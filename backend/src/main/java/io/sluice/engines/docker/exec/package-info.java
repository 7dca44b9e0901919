/** Owns how a program is run inside of a container that is there already; never starts a container. */
@NullMarked
package io.sluice.engines.docker.exec;

import org.jspecify.annotations.NullMarked;
