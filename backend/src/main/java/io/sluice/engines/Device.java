package io.sluice.engines;

import org.jspecify.annotations.Nullable;

/**
 * One GPU or NPU of a node.
 *
 * @param id of it among the node's, for {@link Task#devices}
 * @param type as {@code H100} or {@code Ascend910B}
 * @param vendor {@code nvidia}, {@code ascend}, {@code amd}, or empty where it is not known
 * @param index that its driver and its tools know it by, from 0 per vendor
 * @param numaNode null = not known
 * @param half of the board, whose devices reach one another directly; null = the board has no halves
 * @param simulated there is no such device
 * @param fault why nothing should be started on it, in one line for the user; null = it is well
 */
public record Device(
        String id,
        String type,
        String vendor,
        int index,
        @Nullable Integer numaNode,
        @Nullable String half,
        boolean simulated,
        @Nullable String fault) {}
