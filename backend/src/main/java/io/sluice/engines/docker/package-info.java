/**
 * Owns tasks as containers of a Docker engine: what they may, their images, networks, devices and ends; never a byte of
 * their output, which the operating system writes. The only home of docker-java.
 */
@NullMarked
package io.sluice.engines.docker;

import org.jspecify.annotations.NullMarked;
