/** Owns the networks of tasks: making them, having some ready with what holds them open, and which group has which; never what a task's container is. */
@NullMarked
package io.sluice.engines.docker.networks;

import org.jspecify.annotations.NullMarked;
