package io.sluice.telemetry.collect;

import io.sluice.telemetry.devices.NpuFacts;
import io.sluice.telemetry.devices.NpuTable;
import io.sluice.telemetry.devices.Reading;
import io.sluice.telemetry.devices.Reading.Health;
import io.sluice.telemetry.devices.Told;
import java.util.ArrayList;
import java.util.List;

/** {@code npu-smi}: one table tells nearly all; cards that are not well are asked what ails them. */
final class AscendSource implements Source {
    private static final String TOOL = "npu-smi";
    /** So many a round, that a machine full of broken cards is not asked for minutes. */
    private static final int ASKED_A_ROUND = 4;

    private final Ground ground;

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
        var cards = new java.util.HashMap<String, Integer>();
        Told told = ground.read(
                output -> {
                    NpuTable.Table table = NpuTable.table(output);
                    cards.putAll(table.cards());
                    return table.told();
                },
                tool,
                "info");
        if (!told.isUseful()) {
            return told;
        }
        List<Reading> readings = new ArrayList<>();
        int asked = 0;
        for (Reading reading : told.settled().readings()) {
            Integer card = cards.get(reading.identity().id());
            boolean ill = reading.health() == Health.WARNING || reading.health() == Health.CRITICAL;
            readings.add(ill && card != null && asked++ < ASKED_A_ROUND ? explained(reading, tool, card) : reading);
        }
        return new Told(readings, told.occupants(), told.troubles(), told.absent());
    }

    private Reading explained(Reading reading, String tool, int card) throws InterruptedException {
        NpuFacts facts = NpuFacts.of(ground.text(tool, "info", "-t", "health", "-i", Integer.toString(card)));
        String code = facts.of(0, "Error Code").orElse("");
        String words = facts.of(0, "Error Information").orElse("");
        return code.isEmpty() && words.isEmpty()
                ? reading
                : reading.health(
                        reading.health(), (reading.note() + " " + code + " " + words).strip(), reading.broken());
    }
}
