package io.sluice.jobs.gang;

import io.sluice.engines.Device;
import io.sluice.engines.Node;
import io.sluice.engines.VisibleDevices;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a task has on its node, as it was when it got it: devices may be renamed or taken out later.
 *
 * @param server by which rank tables tell machines apart
 * @param apart whether the task sees no devices but these
 * @param cards in the order in which a program counts them
 * @param visible the variables that choose them
 */
public record Place(String server, boolean apart, List<Card> cards, Map<String, String> visible) {
    public static final Place UNKNOWN = new Place("", false, List.of(), Map.of());

    public Place {
        cards = List.copyOf(cards);
        visible = Map.copyOf(visible);
    }

    /**
     * A device of a task.
     *
     * @param number by which the machine's driver knows it
     * @param half of the board; null: it has none
     * @param link address of its own network port; null: not known
     */
    public record Card(
            String id,
            String vendor,
            String type,
            int number,
            @Nullable String half,
            boolean simulated,
            @Nullable String link) {
        /** Not for all, as it would be written down with the rest. */
        boolean isAscend() {
            return vendor.equals("ascend");
        }
    }

    /**
     * @param devices ids of the node's
     * @param links as {@link Links} has them
     */
    public static Place of(Node node, List<String> devices, Map<String, String> links) {
        List<Device> given = node.devices().stream()
                .filter(device -> devices.contains(device.id()))
                .toList();
        boolean apart = node.address().isEmpty();
        return new Place(
                apart ? node.name() : node.address(),
                apart,
                given.stream()
                        .map(device -> card(device, links.get(Links.key(node.name(), device.index()))))
                        .toList(),
                apart ? VisibleDevices.alone(given) : VisibleDevices.variables(node.devices(), devices));
    }

    private static Card card(Device device, @Nullable String link) {
        return new Card(
                device.id(),
                device.vendor(),
                device.type(),
                device.index(),
                device.half(),
                device.simulated(),
                device.vendor().equals("ascend") ? link : null);
    }

    /** Of which its rank tables are. */
    public List<Card> ascend() {
        return cards.stream().filter(Card::isAscend).toList();
    }

    static Place ofNullable(@Nullable Place place) {
        return Objects.requireNonNullElse(place, UNKNOWN);
    }
}
