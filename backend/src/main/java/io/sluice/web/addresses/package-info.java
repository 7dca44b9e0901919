/** Owns which addresses of networks may be asked for somebody. */
@NullMarked
package io.sluice.web.addresses;

import org.jspecify.annotations.NullMarked;
