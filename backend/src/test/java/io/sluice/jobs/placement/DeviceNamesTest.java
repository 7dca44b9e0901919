package io.sluice.jobs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Waiting.Why;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names that users and other platforms give to devices. */
class DeviceNamesTest {

    private static boolean finds(String name, String type, String vendor) {
        Snapshot.Device device = new Snapshot.Device("d0", type, vendor, null, null, null);
        Scene scene = Scene.of(new Snapshot.Node("a", 4, 8192, List.of(device), null));
        scene.job("job").tasks(1, 1, 1, name).waits();
        scene.pass();
        if (!scene.runs("job")) {
            assertThat(scene.waiting("job").why()).isEqualTo(Why.NEVER);
        }
        return scene.runs("job");
    }

    @ParameterizedTest
    @CsvSource({
        "H100, H100, nvidia",
        "h100, H100, nvidia",
        "H100, NVIDIA H100 80GB HBM3, nvidia",
        "nvidia h100 80gb hbm3, NVIDIA H100 80GB HBM3, nvidia",
        "nvidia-h100, NVIDIA H100 80GB HBM3, ''",
        "nvidia_gpu_amd64, H100, nvidia",
        "NVIDIA_GPU_AMD64, Tesla V100-SXM2-32GB, nvidia",
        "nvidia_gpu_amd64_v100, Tesla V100-SXM2-32GB, nvidia",
        "nvidia.com/gpu, A100, nvidia",
        "gtx1080ti, GTX1080Ti, nvidia",
        "gtx1080ti, NVIDIA GeForce GTX 1080 Ti, nvidia",
        "nvidia_gpu_amd64_2080ti, NVIDIA GeForce RTX 2080 Ti, nvidia",
        "huawei_npu_arm64, Ascend910B, ascend",
        "npu.huawei.com/NPU, Ascend910B, ascend",
        "Ascend910B, Ascend910B3, ascend",
        "ascend 910b, Ascend910B, ascend",
        "910B, Ascend910B, ascend",
        "Ascend910, Ascend910A, ascend",
        "amd.com/gpu, MI300X, amd",
        "mi300x, AMD Instinct MI300X, amd",
        "any, MI300X, amd",
        "ANY, H100, nvidia",
        "'', H100, nvidia",
    })
    void a_device_is_found_by(String name, String type, String vendor) {
        assertThat(finds(name, type, vendor)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "A10, NVIDIA A100, nvidia",
        "A100, H100, nvidia",
        "huawei_npu_arm64, H100, nvidia",
        "nvidia_gpu_amd64, Ascend910B, ascend",
        "nvidia_gpu_amd64, MI300X, amd",
        "amd.com/gpu, H100, nvidia",
        "Ascend910B, Ascend910A, ascend",
        "Ascend310, Ascend910B, ascend",
        "h100, MI300X, amd",
        "gpu, Ascend910B, ascend",
    })
    void a_device_is_not_mistaken_for(String name, String type, String vendor) {
        assertThat(finds(name, type, vendor)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu", "GPU"})
    void gpu_alone_is_any_that_is_no_npu(String name) {
        assertThat(finds(name, "H100", "nvidia")).isTrue();
        assertThat(finds(name, "MI300X", "amd")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "huawei_npu_arm64, 8, true",
        "Ascend910B, 8, true",
        "nvidia_gpu_amd64, 4, false",
        "any, 8, false",
        "MI300X, 0, false",
    })
    void it_is_told_how_many_of_a_kind_a_machine_has_and_whether_they_sit_on_boards(
            String name, int most, boolean boards) {
        List<Snapshot.Node> nodes = List.of(
                new Snapshot.Node("a", 4, 8192, devices(8, "Ascend910B", "ascend"), null),
                new Snapshot.Node("b", 4, 8192, devices(4, "H100", "nvidia"), null));
        var snapshot = new Snapshot(
                Instant.EPOCH,
                new Snapshot.Rules(Duration.ZERO, Duration.ZERO),
                nodes,
                List.of(),
                List.of(),
                List.of());
        assertThat(Placement.offer(snapshot, name)).isEqualTo(new Placement.Offer(most, boards));
    }

    private static List<Snapshot.Device> devices(int count, String type, String vendor) {
        return IntStream.range(0, count)
                .mapToObj(number -> new Snapshot.Device("d" + number, type, vendor, null, null, null))
                .toList();
    }
}
