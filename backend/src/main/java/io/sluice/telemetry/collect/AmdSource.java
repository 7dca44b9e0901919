package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.AmdSmi;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.RocmSmi;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code amd-smi}, or {@code rocm-smi} where there is no other; Hygon's tool has the name of the latter. */
final class AmdSource implements Source {
    private static final String TOOL = "amd-smi";
    private static final String OLDER = "rocm-smi";

    private final Ground ground;
    /** Names do not change while a driver is loaded. */
    private String names = "";

    AmdSource(Ground ground) {
        this.ground = ground;
    }

    @Override
    public String vendor() {
        return "amd";
    }

    @Override
    public boolean isHere() {
        return ground.find(TOOL).isPresent() || ground.find(OLDER).isPresent();
    }

    @Override
    public Told read() throws InterruptedException {
        var newer = ground.find(TOOL);
        return newer.isPresent() ? newer(newer.get()) : older(ground.find(OLDER).orElse(OLDER));
    }

    private Told newer(String tool) throws InterruptedException {
        if (names.isEmpty()) {
            names = ground.text(tool, "static", "--json");
        }
        Told told = ground.read(output -> AmdSmi.devices(output, names), tool, "metric", "--json");
        if (!told.isUseful()) {
            names = "";
            return told;
        }
        Told processes = ground.read(AmdSmi::processes, tool, "process", "--json");
        Map<String, List<Occupant>> byId = new LinkedHashMap<>();
        told.readings()
                .forEach(reading -> byId.put(
                        reading.identity().id(),
                        processes
                                .occupants()
                                .getOrDefault("amd-" + reading.identity().index(), List.of())));
        Told both = new Told(told.readings(), byId, told.troubles(), told.absent());
        boolean isTold = processes.troubles().stream().allMatch(trouble -> trouble.reason() == Reason.EMPTY);
        return isTold
                ? both.settled()
                : both.and(Told.nothing(processes.troubles().getFirst()));
    }

    private Told older(String tool) throws InterruptedException {
        return ground.read(RocmSmi::devices, tool, "-a", "--showmeminfo", "all", "--json");
    }
}
