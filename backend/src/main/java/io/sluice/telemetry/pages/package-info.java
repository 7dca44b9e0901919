/** Owns the pages and the interface that show what devices and tasks do; never shows a job to whom it does not exist. */
@NullMarked
package io.sluice.telemetry.pages;

import org.jspecify.annotations.NullMarked;
