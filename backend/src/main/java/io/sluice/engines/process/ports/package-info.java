/** Owns which run has which port of this machine. Knows no run but by its name. */
@NullMarked
package io.sluice.engines.process.ports;

import org.jspecify.annotations.NullMarked;
