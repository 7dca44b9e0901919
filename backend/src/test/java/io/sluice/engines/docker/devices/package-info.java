@NullMarked
package io.sluice.engines.docker.devices;

import org.jspecify.annotations.NullMarked;
