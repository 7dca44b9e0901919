@NullMarked
package io.sluice.telemetry.pages;

import org.jspecify.annotations.NullMarked;
