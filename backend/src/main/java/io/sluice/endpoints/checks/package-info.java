/** Owns the check of the way to an endpoint: goes it hop by hop, as a browser would, and names the one that fails. Changes nothing on the way. */
@NullMarked
package io.sluice.endpoints.checks;

import org.jspecify.annotations.NullMarked;
