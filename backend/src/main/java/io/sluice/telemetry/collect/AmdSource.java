package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.AmdSmi;
import io.sluice.telemetry.devices.Reading.Identity;
import io.sluice.telemetry.devices.Reading.Occupant;
import io.sluice.telemetry.devices.RocmSmi;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code amd-smi}, or {@code rocm-smi} where there is no other; Hygon's tool has the name of the latter. */
final class AmdSource implements Source {
    private static final String TOOL = "amd-smi";
    private static final String OLDER = "rocm-smi";
    /** So often it is asked who the devices are, before they are known by their numbers for good. */
    private static final int TRIES = 3;

    private final Ground ground;
    private Map<Integer, Identity> names = Map.of();
    private int tries;

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
        Told unnamed = ground.read(AmdSmi::devices, tool, "metric", "--json");
        if (!unnamed.isUseful()) {
            return unnamed;
        }
        if (!isNamed(unnamed, names) && tries < TRIES) {
            var said = AmdSmi.identities(ground.text(tool, "static", "--json"));
            if (isNamed(unnamed, said)) {
                names = said;
                tries = 0;
            } else if (++tries < TRIES || !names.isEmpty()) {
                // under another name for a round, each would be lost and another be there
                return Told.nothing(Trouble.of(Reason.FAILED, "amd-smi static does not tell the devices apart."));
            }
        }
        Told told = unnamed.map(
                reading -> reading.as(names.getOrDefault(reading.identity().index(), reading.identity())));
        Told processes = ground.read(AmdSmi::processes, tool, "process", "--json");
        Map<String, List<Occupant>> byId = new LinkedHashMap<>();
        told.readings().forEach(reading -> {
            List<Occupant> on =
                    processes.occupants().get("amd-" + reading.identity().index());
            if (on != null) {
                byId.put(reading.identity().id(), on);
            }
        });
        return new Told(told.readings(), byId, told.troubles(), told.absent())
                .and(said(processes))
                .settled();
    }

    private static boolean isNamed(Told told, Map<Integer, Identity> names) {
        return told.readings().stream()
                .allMatch(reading -> names.containsKey(reading.identity().index()));
    }

    private static Told said(Told processes) {
        return new Told(
                List.of(),
                Map.of(),
                processes.troubles().stream()
                        .filter(trouble -> trouble.reason() != Reason.EMPTY)
                        .toList(),
                processes.absent());
    }

    /** It tells the processes of the whole machine: who is on which card is certain where there is one, or nobody. */
    private Told older(String tool) throws InterruptedException {
        Told told = ground.read(RocmSmi::devices, tool, "-a", "--showmeminfo", "all", "--json");
        if (!told.isUseful()) {
            return told;
        }
        var all = RocmSmi.processes(ground.text(tool, "--showpids", "--json"));
        if (all.isEmpty() || (told.readings().size() > 1 && !all.get().isEmpty())) {
            return told;
        }
        var byId = new LinkedHashMap<String, List<Occupant>>();
        told.readings().forEach(reading -> byId.put(reading.identity().id(), all.get()));
        return new Told(told.readings(), byId, told.troubles(), told.absent()).settled();
    }
}
