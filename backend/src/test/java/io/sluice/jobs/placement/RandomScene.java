package io.sluice.jobs.placement;

import io.sluice.jobs.placement.Snapshot.Cluster;
import io.sluice.jobs.placement.Snapshot.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A small cluster and a queue by chance; the same seed gives the same. */
final class RandomScene {
    private static final List<String> TYPES = List.of("H100", "A100", "Ascend910B");

    final Scene scene = new Scene();
    private final Random random;
    private int jobs;

    RandomScene(long seed) {
        random = new Random(seed);
        int nodes = 1 + random.nextInt(5);
        for (int node = 0; node < nodes; node++) {
            scene.nodes.add(node("node" + node));
        }
        scene.clusters.add(new Cluster("default", null, null, null, false));
        scene.clusters.add(new Cluster("small", 6, null, Map.of("any", 6), false));
        scene.clusters.add(new Cluster("typed", null, null, Map.of("H100", 4, "Ascend910B", 8), false));
        scene.clusters.add(new Cluster("stopped", null, null, null, true));
        arrive(8 + random.nextInt(8));
    }

    private Snapshot.Node node(String name) {
        String type = TYPES.get(random.nextInt(TYPES.size()));
        int devices = random.nextInt(4) == 0 ? 0 : type.startsWith("Ascend") ? 8 : 1 + random.nextInt(8);
        Snapshot.Node node = Scene.node(name, 4 + random.nextInt(12), 16_384, devices, type);
        if (devices > 0 && random.nextInt(4) == 0) {
            node = Scene.broken(node, random.nextInt(devices), "too many ECC errors");
        }
        return random.nextInt(10) == 0 ? Scene.closed(node, "drained") : node;
    }

    private void arrive(int count) {
        for (int job = 0; job < count; job++) {
            Scene.Wish wish = scene.job("job" + jobs++)
                    .in(List.of("default", "default", "small", "typed", "stopped", "unknown")
                            .get(random.nextInt(6)))
                    .priority(List.of(-1, 10, 10, 100).get(random.nextInt(4)));
            if (random.nextBoolean()) {
                wish.runs(Duration.ofMinutes(1 + random.nextInt(20)));
            }
            if (random.nextInt(3) == 0) {
                wish.preemptible();
            }
            if (random.nextInt(4) == 0) {
                wish.loose();
            }
            int roles = random.nextInt(4) == 0 ? 2 : 1;
            for (int role = 0; role < roles; role++) {
                int devices = List.of(0, 1, 1, 2, 4, 8).get(random.nextInt(6));
                String type = random.nextBoolean() ? null : TYPES.get(random.nextInt(TYPES.size()));
                wish.tasks(1 + random.nextInt(3), 1 + random.nextInt(4), devices, type);
            }
            wish.waits();
        }
    }

    /** A pass, then time goes by: jobs end, and others come. */
    void goOn() {
        scene.pass();
        scene.later(Duration.ofMinutes(random.nextInt(6)));
        List<Running> ended = new ArrayList<>();
        for (Running one : scene.running) {
            boolean over = one.expectedEnd() != null && !one.expectedEnd().isAfter(scene.now);
            if (over || (one.leaving() && random.nextBoolean()) || random.nextInt(8) == 0) {
                ended.add(one);
            }
        }
        scene.running.removeAll(ended);
        arrive(random.nextInt(4));
    }
}
