/** Owns how often something is asked for that many pages follow and nobody tells of. */
@NullMarked
package io.sluice.web.looks;

import org.jspecify.annotations.NullMarked;
