@NullMarked
package io.sluice.engines.docker.networks;

import org.jspecify.annotations.NullMarked;
