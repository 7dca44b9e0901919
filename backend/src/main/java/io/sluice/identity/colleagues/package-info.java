/** Owns whose names somebody is offered. Never says whether a name that they type is somebody's. */
@NullMarked
package io.sluice.identity.colleagues;

import org.jspecify.annotations.NullMarked;
