/**
 * Owns who may go to which endpoint: tickets, what they are changed into, and that it ends when its holder's right does. Knows no
 * request and no app.
 */
@NullMarked
package io.sluice.endpoints.road.passes;

import org.jspecify.annotations.NullMarked;
