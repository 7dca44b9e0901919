package io.sluice.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.lists.Places;
import io.sluice.jobs.protocol.Protocols;
import io.sluice.jobs.protocol.Read;
import io.sluice.jobs.protocol.Texts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WishTest {
    private static final Places.Active JOB = new Places.Active(1, "ann", "job", 0, List.of());

    private static Endpoint only(String extras) {
        var read = (Read.Accepted) Protocols.read(Texts.LEAST_V2 + "\nextras: " + extras + "\n");
        List<Endpoint> wishes = Wishes.of(JOB, read.spec());
        assertThat(wishes).hasSize(1);
        return wishes.getFirst();
    }

    @Test
    void all_folders_of_openpai_s_tensorboard_are_shown() {
        String plugin = "{com.microsoft.pai.runtimeplugin: [{plugin: tensorboard, parameters: {logdir: %s}}]}";
        assertThat(only(plugin.formatted("{one: /mnt/a}")).options()).isEqualTo(Map.of("logdir", "/mnt/a"));
        assertThat(only(plugin.formatted("{one: /mnt/a, 'b:c': /mnt/b}")).options())
                .isEqualTo(Map.of("folders", "one:/mnt/a,b-c:/mnt/b"));
    }

    @Test
    void an_option_without_a_value_is_none_and_sharing_is_kept() {
        Endpoint wish = only(
                "{sluice: {endpoints: [{recipe: tensorboard, options: {logdir: null}, shared: [bob, ann, bob]}]}}");
        assertThat(wish.options()).isEmpty();
        assertThat(wish.shared()).containsExactly("ann", "bob");
    }
}
