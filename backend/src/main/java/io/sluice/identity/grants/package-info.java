/**
 * Owns who is granted what that other rooms have: the virtual clusters somebody may submit to. It never knows whether such a thing exists.
 */
@NullMarked
package io.sluice.identity.grants;

import org.jspecify.annotations.NullMarked;
