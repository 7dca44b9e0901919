package io.sluice.endpoints.setup;

import io.sluice.endpoints.road.Names;
import io.sluice.endpoints.road.Road;
import io.sluice.web.Call;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an administrator is shown.
 *
 * @param portal as this browser has it
 * @param probes the addresses that this browser has to get to
 */
public record SetUpPage(SetUp found, String portal, List<String> probes) {
    public static SetUpPage of(Call call, SetUp found) {
        var authority = call.authority();
        Names names = found.names();
        String probe = found.probe();
        Stream<String> origins = names.hasPorts()
                ? Stream.of(names.first(), names.last())
                        .distinct()
                        .map(port -> names.origin("", port, call.secure(), authority))
                : probe == null
                        ? Stream.of()
                        : Stream.of(
                                names.origin(probe.substring(0, probe.indexOf('.')), null, call.secure(), authority));
        return new SetUpPage(
                found,
                Names.origin(call.secure(), authority),
                origins.map(origin -> origin + Road.PROBE).toList());
    }
}
