package io.sluice.engines;

import java.util.List;

/** The machines that an engine offers. */
public record Inventory(List<Node> nodes) {

    public Inventory {
        nodes = List.copyOf(nodes);
    }
}
