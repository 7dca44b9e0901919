package io.sluice.engines.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.Device;
import io.sluice.engines.VisibleDevices;
import java.util.List;
import org.junit.jupiter.api.Test;

class VisibleDevicesTest {
    private static final List<Device> SIMULATED = SimulatedDevices.of("8xAscend910B,4xH100,2xMI300X");

    @Test
    void a_task_is_told_of_the_devices_that_it_was_given_and_sees_none_of_another_vendor() {
        var two = VisibleDevices.variables(SIMULATED, List.of("ascend-5", "ascend-2"));
        assertThat(two)
                .containsEntry("ASCEND_RT_VISIBLE_DEVICES", "2,5")
                .containsEntry("ASCEND_VISIBLE_DEVICES", "2,5")
                .containsEntry("CUDA_VISIBLE_DEVICES", "")
                .containsEntry("NVIDIA_VISIBLE_DEVICES", "none")
                .containsEntry("HIP_VISIBLE_DEVICES", "-1");
        assertThat(VisibleDevices.variables(SIMULATED, List.of("nvidia-3")))
                .containsEntry("CUDA_VISIBLE_DEVICES", "3")
                .containsEntry("ASCEND_RT_VISIBLE_DEVICES", "");
        assertThat(VisibleDevices.variables(List.of(), List.of())).isEmpty();
    }

    @Test
    void a_device_with_a_name_of_its_own_is_named_so_that_numbers_may_change() {
        var machine = List.of(
                new Device("GPU-a", "H100", "nvidia", 0, null, null, false, null),
                new Device("GPU-b", "H100", "nvidia", 1, null, null, false, null));
        assertThat(VisibleDevices.variables(machine, List.of("GPU-b"))).containsEntry("CUDA_VISIBLE_DEVICES", "GPU-b");
    }
}
