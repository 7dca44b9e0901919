/** Owns how what a program reads and prints goes through the gateway, no faster than whoever is slower; never says which program. */
@NullMarked
package io.sluice.engines.pipes;

import org.jspecify.annotations.NullMarked;
