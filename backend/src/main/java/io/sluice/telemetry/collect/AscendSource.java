package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.devices.NpuFacts;
import io.sluice.telemetry.devices.NpuTable;
import io.sluice.telemetry.devices.NpuTable.Chip;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Told;
import io.sluice.telemetry.devices.Trouble;
import io.sluice.telemetry.devices.Trouble.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * {@code npu-smi}: one table tells nearly all. How busy the memory is, and its errors, are asked of one card after another, as far as a round's
 * time allows; cards that are not well are asked what ails them.
 */
final class AscendSource implements Source {
    private static final String TOOL = "npu-smi";
    private static final String NO_SUCH_TYPE = "Error parameter of -t";
    /** So many a round, that a machine full of broken cards is not asked for minutes. */
    private static final int ASKED_A_ROUND = 4;

    private static final long MORE_NANOS = Duration.ofSeconds(5).toNanos();

    private final Ground ground;
    /** As {@code info -m} numbers the chips; asked again when there is a chip that it did not tell of. */
    private final Map<String, Integer> places = new HashMap<>();

    private final Set<String> unplaced = new HashSet<>();
    /** Types of question that this version does not know. */
    private final Set<String> unknown = new HashSet<>();
    /** Counted since the driver was loaded, so the last answer holds until the next. */
    private final Map<String, Long> uncorrected = new HashMap<>();

    private boolean withProcesses;
    private int turn;

    AscendSource(Ground ground) {
        this.ground = ground;
    }

    @Override
    public String vendor() {
        return "ascend";
    }

    @Override
    public boolean isHere() {
        return ground.find(TOOL).isPresent();
    }

    @Override
    public Told read() throws InterruptedException {
        String tool = ground.find(TOOL).orElse(TOOL);
        var chips = new HashMap<String, Chip>();
        Told told = table(tool, chips);
        if (chips.values().stream().anyMatch(chip -> !isPlaced(chip))) {
            places.putAll(NpuFacts.places(ground.text(tool, "info", "-m")));
            chips.values().forEach(chip -> unplaced.add(chip.toString()));
            told = table(tool, chips);
        }
        if (!told.isUseful()) {
            return told;
        }
        Map<Chip, NpuFacts> loads = more(tool, chips);
        List<Reading> readings = new ArrayList<>();
        int asked = 0;
        for (Reading reading : told.settled().readings()) {
            Chip chip = chips.get(reading.identity().id());
            boolean ill = reading.health() == Health.WARNING || reading.health() == Health.CRITICAL;
            Reading known = chip == null ? reading : with(reading, chip, loads.get(chip));
            readings.add(ill && chip != null && asked++ < ASKED_A_ROUND ? explained(known, tool, chip.card()) : known);
        }
        return new Told(readings, told.occupants(), told.troubles(), told.absent());
    }

    private boolean isPlaced(Chip chip) {
        return places.containsKey(chip.toString()) || unplaced.contains(chip.toString());
    }

    private Told table(String tool, Map<String, Chip> chips) throws InterruptedException {
        chips.clear();
        return ground.read(
                output -> {
                    NpuTable.Table table = NpuTable.table(output, places);
                    chips.putAll(table.chips());
                    // the processes come last: a table that had them once and has not is half of one
                    boolean half = withProcesses
                            && !table.withProcesses()
                            && table.told().isUseful();
                    withProcesses = withProcesses || table.withProcesses();
                    return half
                            ? table.told()
                                    .and(Told.nothing(Trouble.of(Reason.CUT_OFF, "There are no processes in it.")))
                            : table.told();
                },
                tool,
                "info");
    }

    /** What the table does not tell, of one card after another, while there is time. */
    private Map<Chip, NpuFacts> more(String tool, Map<String, Chip> chips) throws InterruptedException {
        long until = System.nanoTime() + MORE_NANOS;
        var loads = new HashMap<Chip, NpuFacts>();
        List<Integer> cards = List.copyOf(
                new TreeSet<>(chips.values().stream().map(Chip::card).toList()));
        for (int at = 0; at < cards.size() && System.nanoTime() < until; at++) {
            int card = cards.get(Math.floorMod(turn + at, cards.size()));
            NpuFacts load = facts(tool, "usages", card);
            NpuFacts errors = at == 0 ? facts(tool, "ecc", card) : NpuFacts.NONE;
            chips.values().stream().filter(chip -> chip.card() == card).forEach(chip -> {
                loads.put(chip, load);
                errors.uncorrected(chip.number()).ifPresent(count -> uncorrected.put(chip.toString(), count));
            });
        }
        turn++;
        return loads;
    }

    private NpuFacts facts(String tool, String type, int card) throws InterruptedException {
        if (unknown.contains(type)) {
            return NpuFacts.NONE;
        }
        String output = ground.words(tool, "info", "-t", type, "-i", Integer.toString(card));
        if (output.contains(NO_SUCH_TYPE)) {
            unknown.add(type);
        }
        return output.isBlank() ? NpuFacts.NONE : NpuFacts.of(output);
    }

    private Reading with(Reading reading, Chip chip, @Nullable NpuFacts load) {
        double bandwidth =
                load == null ? Double.NaN : load.values(chip.number()).of(Metric.MEMORY_BANDWIDTH);
        Long errors = uncorrected.get(chip.toString());
        Reading more = reading.values(reading.values().with(Metric.MEMORY_BANDWIDTH, bandwidth))
                .strain(reading.slowed(), null, errors);
        return errors == null || errors == 0
                ? more
                : more.health(Health.CRITICAL, "Memory errors that were not corrected: " + errors, true);
    }

    private Reading explained(Reading reading, String tool, int card) throws InterruptedException {
        NpuFacts facts = facts(tool, "health", card);
        String code = facts.of(0, "Error Code").orElse("");
        String words = facts.of(0, "Error Information").orElse("");
        return code.isEmpty() && words.isEmpty()
                ? reading
                : reading.health(
                        reading.health(), (reading.note() + " " + code + " " + words).strip(), reading.broken());
    }
}
