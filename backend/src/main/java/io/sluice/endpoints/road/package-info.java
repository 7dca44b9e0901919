/** Owns the way from a browser to an app: tickets, passes, and the proxy. Knows no recipe, and lets nothing through that it did not check. */
@NullMarked
package io.sluice.endpoints.road;

import org.jspecify.annotations.NullMarked;
