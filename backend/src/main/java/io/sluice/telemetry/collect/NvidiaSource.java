package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.NvidiaCsv;
import io.sluice.telemetry.devices.NvidiaXml;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import io.sluice.telemetry.devices.Xids;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code nvidia-smi}: a list of devices, a list of processes, and the whole of it where a device is divided. */
final class NvidiaSource implements Source {
    private static final String TOOL = "nvidia-smi";
    private static final String LOG = "dmesg";
    private static final int LOG_ROUNDS = 4;
    private static final Pattern REFUSED = Pattern.compile("(?m)^dmesg: .*(failed|denied|not permitted)");
    private static final String LIST = "--format=csv,nounits";

    private final Ground ground;
    /** As this driver knows them, found out once. */
    private List<String> fields = List.of();

    /** The parts of divided devices, as they were listed last. */
    private Map<String, List<NvidiaCsv.Part>> names = Map.of();

    /** As the kernel's log had them last, and after how many rounds it is read again. */
    private Map<String, Integer> xids = Map.of();

    private List<Trouble> unread = List.of();
    private int rounds;

    NvidiaSource(Ground ground) {
        this.ground = ground;
    }

    @Override
    public String vendor() {
        return "nvidia";
    }

    @Override
    public boolean isHere() {
        return ground.find(TOOL).isPresent();
    }

    @Override
    public Told read() throws InterruptedException {
        String tool = ground.find(TOOL).orElse(TOOL);
        if (fields.isEmpty()) {
            fields = NvidiaCsv.known(ground.text(tool, "--help-query-gpu"));
        }
        // of a driver that does not say what it knows, what every one knows
        List<String> asked = fields.contains("uuid") ? fields : NvidiaCsv.FIELDS.subList(0, 5);
        Told told = ground.read(
                output -> NvidiaCsv.devices(output, null), tool, "--query-gpu=" + String.join(",", asked), LIST);
        if (told.troubles().stream().anyMatch(trouble -> trouble.reason() == Reason.ARGUMENT)) {
            fields = List.of(); // another driver than the one that was asked
        }
        if (!told.isUseful()) {
            return told;
        }
        Told processes = ground.read(
                NvidiaCsv::processes, tool, "--query-compute-apps=" + String.join(",", NvidiaCsv.PROCESS_FIELDS), LIST);
        Told both = told.and(said(processes));
        // of a divided device the list names the whole, and who is on its parts is told with them
        Told all = isTold(processes) ? both.complete() : both.settled();
        return kernel(
                told.readings().stream().anyMatch(reading -> reading.identity().divided())
                        ? all.and(parts(tool))
                        : all);
    }

    /** With the errors that stand in the kernel's log only, which is long, and read every fourth round. */
    private Told kernel(Told told) throws InterruptedException {
        Optional<String> program = ground.find(LOG);
        if (program.isPresent() && rounds++ % LOG_ROUNDS == 0) {
            String log = ground.words(program.get());
            boolean refused = log.isBlank() || REFUSED.matcher(log).find();
            xids = refused ? Map.of() : Xids.of(log);
            unread = refused ? List.of(Trouble.of(Reason.KERNEL_LOG, log)) : List.of();
        }
        return told.map(reading -> Xids.on(reading, xids)).and(new Told(List.of(), Map.of(), unread, Map.of()));
    }

    /** Nobody on any device is printed as nothing. */
    private static Told said(Told processes) {
        List<Trouble> troubles = processes.troubles().stream()
                .filter(trouble -> trouble.reason() != Reason.EMPTY)
                .toList();
        return new Told(List.of(), processes.occupants(), troubles, processes.absent());
    }

    private static boolean isTold(Told processes) {
        return processes.troubles().stream().allMatch(trouble -> trouble.reason() == Reason.EMPTY);
    }

    private Told parts(String tool) throws InterruptedException {
        Map<String, List<NvidiaCsv.Part>> listed = NvidiaCsv.parts(ground.text(tool, "-L"));
        if (!listed.isEmpty()) {
            names = listed;
        }
        if (names.isEmpty()) {
            // by their places they would be others than they are once they have names
            return Told.nothing(Trouble.of(Reason.FAILED, "nvidia-smi -L does not name the parts."));
        }
        Map<String, List<NvidiaCsv.Part>> known = names;
        Told all = ground.read(output -> NvidiaXml.devices(output, known), tool, "-q", "-x");
        List<Reading> parts = all.settled().readings().stream()
                .filter(reading -> reading.identity().parent() != null)
                .toList();
        return new Told(parts, Map.of(), all.troubles(), Map.of());
    }
}
