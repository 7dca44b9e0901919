package io.sluice.jobs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.FragmentationBench.Result;
import io.sluice.jobs.placement.FragmentationBench.Way;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FragmentationTest {
    private static final int JOBS = 500;

    @ParameterizedTest
    @ValueSource(strings = {"Ascend910B", "H100"})
    void at_most_five_points_more_of_what_is_free_are_useless_than_by_best_fit(String type) {
        Result ours = FragmentationBench.simulate(Way.OURS, type, JOBS, 1);
        Result best = FragmentationBench.simulate(Way.BEST_FIT, type, JOBS, 1);
        assertThat(ours.fragmentation()).isLessThanOrEqualTo(best.fragmentation() + 5);
        assertThat(ours.fragmentation()).isPositive();
    }
}
