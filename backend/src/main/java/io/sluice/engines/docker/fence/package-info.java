/** Owns what keeps tasks from this machine and from what they must not reach; never how a container is made. */
@NullMarked
package io.sluice.engines.docker.fence;

import org.jspecify.annotations.NullMarked;
