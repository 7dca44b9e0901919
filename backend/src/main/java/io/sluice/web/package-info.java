/**
 * Owns the HTTP edge: the order of handlers, who is calling, the route table, errors, rendering and live pages. It never knows a feature.
 */
@NullMarked
package io.sluice.web;

import org.jspecify.annotations.NullMarked;
