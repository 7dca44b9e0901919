package io.sluice.jobs.placement;

import static io.sluice.jobs.placement.Scene.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.placement.Decisions.Place;
import io.sluice.jobs.placement.Snapshot.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All cases of a small size, beside an answer found by trying everything. */
class EveryCaseTest {

    private static Scene withUsed(String type, int used) {
        Scene scene = Scene.of(node("a", 64, 8, type));
        String[] ids = IntStream.range(0, 8)
                .filter(bit -> (used >> bit & 1) == 1)
                .mapToObj(bit -> "d" + bit)
                .toArray(String[]::new);
        if (ids.length > 0) {
            scene.job("other").tasks(1, 1, ids.length, type).runsOn("a", ids);
        }
        return scene;
    }

    private static int bits(List<String> devices) {
        return devices.stream()
                .mapToInt(id -> 1 << Integer.parseInt(id.substring(1)))
                .sum();
    }

    @Test
    void as_many_tasks_share_an_ascend_board_as_its_halves_allow() {
        for (int used = 0; used < 256; used++) {
            for (int each : new int[] {1, 2, 3, 4, 8}) {
                int most = mostOnBoard(~used & 0xff, each);
                Scene scene = withUsed("Ascend910B", used);
                scene.job("loose").loose().tasks(9, 1, each, "ascend910b").waits();
                scene.pass();
                List<Place> places = scene.places("loose");
                assertThat(places)
                        .as("used %s, %s each", Integer.toBinaryString(used), each)
                        .hasSize(most);
                int all = 0;
                for (Place place : places) {
                    int mask = bits(place.devices());
                    assertThat(isAllowed(mask, each)).isTrue();
                    assertThat(mask & (used | all)).isZero();
                    all |= mask;
                }
            }
        }
    }

    private static boolean isAllowed(int mask, int each) {
        return Integer.bitCount(mask) == each
                && (mask == 0xff || (List.of(1, 2, 4).contains(each) && ((mask & 0x0f) == 0 || (mask & 0xf0) == 0)));
    }

    private static int mostOnBoard(int free, int each) {
        int most = 0;
        for (int mask = free; mask > 0; mask = (mask - 1) & free) {
            if (isAllowed(mask, each)) {
                most = Math.max(most, 1 + mostOnBoard(free & ~mask & (Integer.highestOneBit(mask) - 1), each));
            }
        }
        return most;
    }

    @Test
    void a_task_spans_as_few_numa_nodes_as_possible() {
        for (int used = 0; used < 255; used++) {
            int free = ~used & 0xff;
            for (int each = 1; each <= Integer.bitCount(free); each++) {
                Scene scene = withUsed("H100", used);
                scene.job("job").tasks(1, 1, each, "H100").waits();
                scene.pass();
                int mask = bits(scene.places("job").getFirst().devices());
                boolean one = Integer.bitCount(free & 0x0f) >= each || Integer.bitCount(free & 0xf0) >= each;
                assertThat(Integer.bitCount(mask)).isEqualTo(each);
                assertThat(mask & used).isZero();
                assertThat((mask & 0x0f) == 0 || (mask & 0xf0) == 0)
                        .as("used %s, %s each", Integer.toBinaryString(used), each)
                        .isEqualTo(one);
            }
        }
    }

    @Test
    void a_gang_of_two_roles_starts_whenever_there_is_a_way() {
        int ways = 0;
        List<Node> sizes = new ArrayList<>();
        for (int cpus = 1; cpus <= 3; cpus++) {
            for (int devices = 0; devices <= 3; devices++) {
                sizes.add(node("n", cpus, 16_384, devices, "H100"));
            }
        }
        int[][] roles = {{1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {1, 1, 0}, {1, 3, 0}, {2, 2, 0}, {1, 1, 2}, {1, 2, 2}};
        for (Node first : sizes) {
            for (Node second : sizes) {
                for (int[] one : roles) {
                    for (int[] other : roles) {
                        Scene scene = Scene.of(named(first, "a"), named(second, "b"));
                        scene.job("gang")
                                .tasks(one[0], one[1], one[2], "H100")
                                .tasks(other[0], other[1], other[2], "H100")
                                .waits();
                        boolean fits = fits(
                                new int[] {first.cpus(), second.cpus()},
                                new int[] {
                                    first.devices().size(), second.devices().size()
                                },
                                List.of(one, other));
                        scene.pass();
                        assertThat(scene.runs("gang"))
                                .as("%s %s %s", scene.nodes, one, other)
                                .isEqualTo(fits);
                        ways += fits ? 1 : 0;
                    }
                }
            }
        }
        assertThat(ways).isGreaterThan(500);
    }

    private static Node named(Node node, String name) {
        return new Node(name, node.cpus(), node.memoryMB(), node.devices(), null);
    }

    private static boolean fits(int[] cpus, int[] devices, List<int[]> roles) {
        List<int[]> tasks = roles.stream()
                .flatMap(role -> IntStream.range(0, role[0]).mapToObj(task -> role))
                .toList();
        return IntStream.range(0, 1 << tasks.size()).anyMatch(way -> {
            int[] cpu = cpus.clone();
            int[] device = devices.clone();
            for (int task = 0; task < tasks.size(); task++) {
                cpu[way >> task & 1] -= tasks.get(task)[1];
                device[way >> task & 1] -= tasks.get(task)[2];
            }
            return IntStream.range(0, 2).allMatch(node -> cpu[node] >= 0 && device[node] >= 0);
        });
    }

    @Test
    void as_few_jobs_give_way_as_possible() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Scene scene = Scene.of(node("a", 64, 4, "H100"), node("b", 64, 4, "H100"));
            int[] left = {4, 4};
            List<int[]> victims = new ArrayList<>();
            for (int job = 0; left[0] + left[1] > 0; job++) {
                int node = left[0] == 0 ? 1 : left[1] == 0 ? 0 : random.nextInt(2);
                int devices = 1 + random.nextInt(Math.min(3, left[node]));
                boolean preemptible = random.nextInt(4) > 0;
                String[] ids = IntStream.range(left[node] - devices, left[node])
                        .mapToObj(bit -> "d" + bit)
                        .toArray(String[]::new);
                left[node] -= devices;
                Scene.Wish wish =
                        scene.job("job" + job).priority(random.nextInt(3)).tasks(1, 1, devices, "H100");
                if (preemptible) {
                    wish.preemptible();
                    victims.add(new int[] {node, devices});
                }
                wish.runsOn(node == 0 ? "a" : "b", ids);
            }
            int tasks = 1 + random.nextInt(2);
            int each = 1 + random.nextInt(4);
            scene.job("urgent").priority(100).tasks(tasks, 1, each, "H100").waits();
            int fewest = IntStream.range(0, 1 << victims.size())
                    .filter(some -> {
                        int[] free = new int[2];
                        for (int victim = 0; victim < victims.size(); victim++) {
                            free[victims.get(victim)[0]] += (some >> victim & 1) * victims.get(victim)[1];
                        }
                        return free[0] / each + free[1] / each >= tasks;
                    })
                    .map(Integer::bitCount)
                    .min()
                    .orElse(0);
            assertThat(scene.pass().preempts()).as("seed %s", seed).hasSize(fewest);
        }
    }

    @Test
    void the_promised_start_is_the_earliest_possible() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Scene scene = Scene.of(node("a", 64, 4, "H100"), node("b", 64, 4, "H100"));
            int[] minutes = new int[8];
            for (int device = 0; device < 8; device++) {
                minutes[device] = random.nextInt(10);
                if (minutes[device] > 0) {
                    scene.job("job" + device)
                            .runs(Duration.ofMinutes(minutes[device]))
                            .tasks(1, 1, 1, "H100")
                            .runsOn(device < 4 ? "a" : "b", "d" + device % 4);
                }
            }
            int tasks = 1 + random.nextInt(2);
            int each = 1 + random.nextInt(4);
            int earliest = IntStream.range(0, 10)
                    .filter(minute -> IntStream.of(0, 4)
                                    .map(first -> (int) IntStream.range(first, first + 4)
                                                    .filter(device -> minutes[device] <= minute)
                                                    .count()
                                            / each)
                                    .sum()
                            >= tasks)
                    .findFirst()
                    .orElseThrow();
            scene.job("head").tasks(tasks, 1, each, "H100").waits();
            scene.pass();
            assertThat(scene.runs("head")).as("seed %s", seed).isEqualTo(earliest == 0);
            if (earliest > 0) {
                assertThat(scene.waiting("head").start())
                        .as("seed %s", seed)
                        .isEqualTo(scene.now.plus(Duration.ofMinutes(earliest)));
            }
        }
    }
}
