@NullMarked
package io.sluice.engines.docker.images;

import org.jspecify.annotations.NullMarked;
