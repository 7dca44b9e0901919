/** Owns what is told outside the portal: webhooks and mail, tried again within limits and nowhere it may not go; never decides what to tell. */
@NullMarked
package io.sluice.telemetry.notices;

import org.jspecify.annotations.NullMarked;
