/**
 * Owns the connections to apps, below HTTP clients: bytes come in and go on in the buffers that the network filled. Knows neither
 * browsers nor passes, and no header.
 */
@NullMarked
package io.sluice.endpoints.road.lines;

import org.jspecify.annotations.NullMarked;
