/** Owns what a job says of the data that comes to it and goes from it. It moves nothing. */
@NullMarked
package io.sluice.jobs.protocol.data;

import org.jspecify.annotations.NullMarked;
