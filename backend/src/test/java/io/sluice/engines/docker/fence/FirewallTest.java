package io.sluice.engines.docker.fence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.engines.docker.wire.Hosts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said, and done, where rules can be set and where they can not. The rules themselves are tried by FenceIT. */
class FirewallTest {

    @TempDir
    private Path folder;

    private final AtomicInteger faults = new AtomicInteger();
    private Hosts.Lookup meaning = InetAddress::getAllByName;

    private static Firewall.Settings settings(boolean may, boolean open) {
        return new Firewall.Settings(
                "198.19.0.0/16",
                "0123456789",
                may,
                List.of(InetSocketAddress.createUnresolved("192.0.2.5", 5432)),
                open);
    }

    private Firewall firewall(boolean may, boolean open, String script) throws IOException {
        var program = folder.resolve("iptables");
        Files.writeString(program, "#!/bin/sh\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new Firewall(
                settings(may, open),
                faults::incrementAndGet,
                program.toString(),
                program.toString(),
                new Hosts(meaning));
    }

    @Test
    void where_rules_can_be_set_and_that_fails_no_task_is_started() throws IOException {
        var firewall = firewall(true, false, "echo no such table; exit 1");
        firewall.keep(true);
        assertThat(firewall.holds()).isFalse();
        assertThat(firewall.closed())
                .hasValueSatisfying(
                        why -> assertThat(why).contains("no such table").contains("--docker-without-firewall"));
        assertThat(faults).hasValue(1);

        firewall = firewall(true, false, "exit 0");
        firewall.keep(true);
        assertThat(firewall.holds()).isTrue();
        assertThat(firewall.closed()).isEmpty();
    }

    @Test
    void an_administrator_may_start_tasks_all_the_same() throws IOException {
        var firewall = firewall(true, true, "echo no such table; exit 1");
        firewall.keep(true);
        assertThat(firewall.closed()).isEmpty();
        assertThat(firewall.holds()).isFalse();
        assertThat(firewall.note()).contains("tasks can reach").contains("no such table");
    }

    @Test
    void who_is_not_root_or_elsewhere_does_not_claim_that_anything_is_kept() throws IOException {
        var firewall = firewall(false, false, "exit 0");
        firewall.keep(true);
        assertThat(firewall.holds()).isFalse();
        assertThat(firewall.closed()).isEmpty();
        assertThat(firewall.note()).contains("not root");

        var elsewhere = firewall(true, false, "touch " + folder.resolve("asked"));
        elsewhere.keep(false);
        assertThat(elsewhere.holds()).isFalse();
        assertThat(elsewhere.note()).contains("another machine");
        assertThat(folder.resolve("asked")).doesNotExist();
    }

    @Test
    void a_service_whose_address_is_not_known_is_not_said_to_be_kept() throws IOException {
        var six = new InetAddress[] {InetAddress.getByName("2001:db8::5")};
        meaning = host -> six;
        var firewall = firewall(true, false, "exit 0");
        firewall.keep(true);
        assertThat(firewall.holds()).isFalse();
        assertThat(firewall.note())
                .contains("nothing keeps them from 192.0.2.5:5432")
                .doesNotContain("nor the gateway's own services");
        assertThat(firewall.closed()).isEmpty();

        six[0] = InetAddress.getByName("192.0.2.5");
        firewall.keep(true);
        assertThat(firewall.holds()).isTrue();
        assertThat(firewall.note()).contains("nor the gateway's own services");
        // its rule is still there
        six[0] = InetAddress.getByName("2001:db8::5");
        firewall.keep(true);
        assertThat(firewall.holds()).isTrue();
    }

    @Test
    void what_the_gateway_uses_elsewhere_is_kept_and_what_it_no_longer_uses_is_let_go() throws IOException {
        var asked = folder.resolve("asked");
        var firewall = firewall(true, false, """
                echo "$*" >> %1$s
                case "$*" in
                  *"-S SLUICE-KEPT-01234567"*) echo "-A SLUICE-KEPT-01234567 -d 192.0.2.4/32 -p tcp -m tcp --dport 5432 -j DROP";
                    echo "-A SLUICE-KEPT-01234567 -d 192.0.2.5/32 -p tcp -m tcp --dport 5432 -j DROP";;
                  *" -C "*|*" -L "*) exit 1;;
                esac
                """.formatted(asked));
        firewall.keep(true);
        var lines = Files.readAllLines(asked);
        assertThat(lines)
                .contains(
                        "-w 5 -t mangle -N SLUICE-KEPT-01234567",
                        "-w 5 -t mangle -A SLUICE-KEPT-01234567 -d 192.0.2.5/32 -p tcp --dport 5432 -j DROP",
                        "-w 5 -t mangle -D SLUICE-KEPT-01234567 -d 192.0.2.4/32 -p tcp --dport 5432 -j DROP",
                        "-w 5 -t mangle -I FORWARD -i slu+ -j SLUICE-KEPT-01234567");
        assertThat(lines).noneMatch(line -> line.contains("-D") && line.contains("192.0.2.5"));
    }

    @Test
    void networks_are_kept_apart_by_a_rule_of_ours_and_not_only_by_the_engines() throws IOException {
        var asked = folder.resolve("asked");
        firewall(true, false, "echo \"$*\" >> " + asked + "; case \"$*\" in *' -C '*|*' -L '*) exit 1;; esac")
                .keep(true);
        var lines = Files.readAllLines(asked);
        var apart = lines.stream()
                .filter(line -> line.matches(".* -A SLUICE-OUT -o slu\\+ .*-j DROP"))
                .findFirst()
                .orElseThrow();
        assertThat(lines).contains("-w 5 -t mangle -I FORWARD -i slu+ -j SLUICE-OUT");
        // there is no way into a chain before it is whole
        assertThat(lines.indexOf(apart)).isLessThan(lines.indexOf("-w 5 -t mangle -I FORWARD -i slu+ -j SLUICE-OUT"));
    }
}
