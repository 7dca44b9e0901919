/** Owns which devices this machine has and how a container is given some of them; never who gets which. */
@NullMarked
package io.sluice.engines.docker.devices;

import org.jspecify.annotations.NullMarked;
