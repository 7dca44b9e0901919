/** Owns looking after logs: how they grow, how large they may become, when they are compressed and deleted; never answers anybody. */
@NullMarked
package io.sluice.logs.keep;

import org.jspecify.annotations.NullMarked;
