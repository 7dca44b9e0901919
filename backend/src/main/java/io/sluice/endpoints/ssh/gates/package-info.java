/** Owns when the ways in by SSH are opened and shut: the one for people, and the one between tasks. Speaks no SSH itself. */
@NullMarked
package io.sluice.endpoints.ssh.gates;

import org.jspecify.annotations.NullMarked;
