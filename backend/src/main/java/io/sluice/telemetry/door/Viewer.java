package io.sluice.telemetry.door;

import io.sluice.web.Caller;
import java.time.Instant;

/**
 * Somebody for whom Grafana asks.
 *
 * @param since the account is theirs: what is older under its name was somebody else's
 */
public record Viewer(Caller caller, Instant since) {}
