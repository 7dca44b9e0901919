/**
 * Owns what devices and tasks do: collecting, exposing and keeping it, and showing it beside the job; never starts, stops or places
 * anything, and never lets a tool that hangs hold up anybody.
 */
@NullMarked
package io.sluice.telemetry;

import org.jspecify.annotations.NullMarked;
