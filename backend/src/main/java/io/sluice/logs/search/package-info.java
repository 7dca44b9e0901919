/** Owns finding a text in a log; never knows who asks for it. */
@NullMarked
package io.sluice.logs.search;

import org.jspecify.annotations.NullMarked;
