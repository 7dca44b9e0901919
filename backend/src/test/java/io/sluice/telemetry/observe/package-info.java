@NullMarked
package io.sluice.telemetry.observe;

import org.jspecify.annotations.NullMarked;
