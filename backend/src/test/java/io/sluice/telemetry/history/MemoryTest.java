package io.sluice.telemetry.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.telemetry.devices.Metric;
import io.sluice.telemetry.observe.Pictures;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTest {
    @Test
    void a_track_keeps_the_newest_rows_in_order_however_often_it_turns() {
        var track = new Track(2);
        for (int at = 0; at < 1000; at++) {
            track.add(at, new double[] {at, -at}, 300);
        }
        Track.Points points = track.points(0, Long.MAX_VALUE);
        assertThat(points.size()).isEqualTo(300);
        assertThat(points.times()).startsWith(700, 701).endsWith(998, 999);
        assertThat(points.values()[1][299]).isEqualTo(-999);
        assertThat(track.points(800, 809).times()).hasSize(10);
        assertThat(track.tail(0, 3)).containsExactly(997, 998, 999);
        for (int at = 1000; at < 1100; at++) {
            track.add(at, new double[] {at, -at}, 100);
        }
        assertThat(track.points(0, Long.MAX_VALUE).times())
                .as("when less may be kept")
                .startsWith(1000)
                .hasSize(100);
    }

    @Test
    void a_whole_life_fits_into_a_few_hundred_points_with_its_means() {
        var coarse = new Coarse(1);
        for (int at = 0; at < 17_280; at++) { // a day, every five seconds
            coarse.add(1_000_000 + at * 5_000L, new double[] {at < 8_640 ? 1 : 0});
        }
        Track.Points points = coarse.points();
        assertThat(points.size()).isBetween(Coarse.MOST / 2, Coarse.MOST);
        assertThat(points.values()[0][0]).isEqualTo(1);
        assertThat(points.values()[0][points.size() - 1]).isEqualTo(0);
        assertThat(coarse.from()).isEqualTo(1_000_000);
    }

    @Test
    void what_is_not_known_is_no_zero_in_means_and_idleness() {
        var tally = new Tally();
        for (int at = 0; at < 10; at++) {
            tally.add(at % 2 == 0 ? 0.8 : Double.NaN, 5);
        }
        assertThat(tally.mean()).isEqualTo(0.8, within(1e-9));
        assertThat(tally.idleSeconds()).isZero();
        tally.add(0.01, 5);
        tally.add(0.02, 5);
        assertThat(tally.idleNow()).isEqualTo(10);
        tally.add(0.6, 5);
        assertThat(tally.idleNow()).as("one busy look ends it").isZero();
        tally.add(0.01, 4000);
        assertThat(tally.idleNow()).as("over a gap nothing is known").isZero();
    }

    @Test
    void what_is_kept_of_a_task_survives_being_stored() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        Instant begun = Instant.ofEpochMilli(1_700_000_000_000L);
        var device = Pictures.device("n1", "g0", 0, 0.5, holder);
        Kept kept = Kept.begun(7, List.of(device));
        for (int at = 0; at < 50; at++) {
            kept.take(begun.plusSeconds(5L * at), Pictures.doing(holder, at), List.of(device), 1000);
        }
        Kept again = Kept.of(7, new JsonObject(kept.toJson().encode()));
        assertThat(again.lines()).isEqualTo(kept.lines());
        assertThat(again.cpuSeconds()).isEqualTo(49);
        assertThat(again.coarse().points().size())
                .isEqualTo(kept.coarse().points().size());
        assertThat(again.tail(Metric.UTILISATION.key(), "g0", 10)).contains(0.5f);
        assertThat(again.toJson()).isEqualTo(kept.toJson());
    }

    @Test
    void a_series_has_no_more_points_than_a_chart_and_all_lines_one_axis() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        Instant begun = Instant.ofEpochMilli(1_700_000_000_000L);
        var device = Pictures.device("n1", "g0", 0, 0.5, holder);
        Kept kept = Kept.begun(7, List.of(device));
        for (int at = 0; at < 1400; at++) {
            kept.take(begun.plusSeconds(5L * at), Pictures.doing(holder, at), List.of(device), 1440);
        }
        long to = begun.plusSeconds(7000).toEpochMilli();
        Series series = Series.of(List.of(new Series.Source("main", 0, "n1", kept)), begun.toEpochMilli(), to, 0);
        assertThat(series.size()).isLessThanOrEqualTo(Series.MOST_POINTS + 1);
        assertThat(series.lines()).hasSize(Lines.OfTask.values().length + Lines.OF_DEVICES.size());
        var load = series.lines().stream()
                .filter(line -> line.line().metric().equals("utilization"))
                .findFirst()
                .orElseThrow();
        assertThat(load.value(series.size() / 2)).isEqualTo(0.5f);
        Series later = Series.of(List.of(new Series.Source("main", 0, "n1", kept)), to + 100_000, to + 200_000, 0);
        assertThat(later.lines().getFirst().value(0))
                .as("outside of what is known")
                .isNaN();
    }
}
