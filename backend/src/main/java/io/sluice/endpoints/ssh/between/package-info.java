/** Owns how tasks of one job come to the gateway to reach one another; what goes on there is SSH's, and is not looked into. */
@NullMarked
package io.sluice.endpoints.ssh.between;

import org.jspecify.annotations.NullMarked;
