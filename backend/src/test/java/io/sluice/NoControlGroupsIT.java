package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine on which the gateway may make no control groups: tasks run all the same, and the page says what that means. */
class NoControlGroupsIT {
    /** In a mount namespace of its own, where they are there to be read only. */
    private static final List<String> WITHOUT = List.of(
            "unshare",
            "-m",
            "bash",
            "-c",
            "while read -r _ path type _; do case $type in cgroup|cgroup2) mount -o remount,ro,bind \"$path\" || exit 1;; esac; done"
                    + " < /proc/mounts; exec \"$@\"",
            "--");

    @TempDir
    private Path folder;

    @Test
    void where_limits_can_not_be_enforced_the_page_says_so_and_jobs_run_all_the_same() throws Exception {
        assumeThat(System.getProperty("user.name")).as("mounts need root").isEqualTo("root");
        try (var house = new Household(folder, "none", Map.of(), WITHOUT)) {
            house.start("");
            Household.eventually(() -> house.page("/", "en")
                    .contains("Limits of CPU and memory here: not enforced: control groups can not be used"));
            assertThat(house.page("/", "zh")).contains("此机器不强制资源限制：").doesNotContain("Limits of");
            assertThat(house.submit("unlimited", "until [ -e /userhome/enough ]; do sleep 0.1; done")
                            .statusCode())
                    .isEqualTo(202);
            Household.eventually(() -> house.state("unlimited").equals("RUNNING"));
            assertThat(house.page("/jobs/admin~unlimited", "en")).contains(">limits not enforced</span>");
            assertThat(house.page("/jobs/admin~unlimited", "zh")).contains(">不强制资源限制</span>");
            Files.createFile(house.home().resolve("enough"));
            house.ends(Duration.ofSeconds(90), "unlimited");
            assertThat(house.state("unlimited")).isEqualTo("SUCCEEDED");
        }
    }
}
