/** Owns the way to Grafana: its panels below {@code /grafana/}, for whoever is signed in here. Lets no header through that says who somebody is, and no cookie. */
@NullMarked
package io.sluice.telemetry.grafana;

import org.jspecify.annotations.NullMarked;
