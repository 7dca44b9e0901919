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

    @Test
    void after_hours_the_last_ones_are_still_fine_and_what_is_not_known_is_no_line() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        Instant begun = Instant.ofEpochMilli(1_700_000_000_000L);
        Kept kept = Kept.begun(7, List.of(Pictures.device("n1", "g0", 0, 0.5, holder)));
        for (int at = 0; at < 6 * 720; at++) { // six hours
            // nothing was told in the third, and the last minutes go up and down
            double load = at >= 1440 && at < 2160 ? Double.NaN : at > 4200 ? at / 6 % 2 : 0.5;
            var device = Pictures.device("n1", "g0", 0, load, holder);
            kept.take(begun.plusSeconds(5L * at), Pictures.doing(holder, at), List.of(device), 1440);
        }
        var sources = List.of(new Series.Source("main", 0, "n1", kept));
        long from = begun.toEpochMilli();
        long to = begun.plusSeconds(6 * 3600).toEpochMilli();
        Series.Drawn whole = load(Series.of(sources, from, to, 0));
        int size = Series.of(sources, from, to, 0).size();
        assertThat(whole.value(size / 10)).isEqualTo(0.5f);
        assertThat(whole.value(size * 5 / 12)).as("in the third hour").isNaN();
        int gaps = 0;
        for (int at = 0; at < size; at++) {
            gaps += Float.isNaN(whole.value(at)) ? 1 : 0;
        }
        assertThat(gaps).as("no holes where something is known").isBetween(size / 6 - 8, size / 6 + 8);
        Series tail = Series.of(sources, to - 300_000, to, 0);
        assertThat(tail.step()).as("as fine as it was taken").isEqualTo(5_000);
        assertThat(Series.grain(sources, to - 300_000)).isLessThan(6_000);
        assertThat(Series.grain(sources, from)).isEqualTo(kept.coarse().step());
        Series.Drawn fine = load(tail);
        boolean up = false;
        boolean down = false;
        for (int at = 0; at < tail.size(); at++) {
            up |= fine.value(at) == 1;
            down |= fine.value(at) == 0;
        }
        assertThat(up && down).as("what came and went is seen").isTrue();
    }

    private static Series.Drawn load(Series series) {
        return series.lines().stream()
                .filter(line -> line.line().metric().equals("utilization"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void what_was_taken_before_the_stored_could_be_read_goes_on_from_it() {
        var holder = Pictures.holder(7, "ann", "train", List.of("g0"));
        Instant begun = Instant.ofEpochMilli(1_700_000_000_000L);
        var device = Pictures.device("n1", "g0", 0, 0.5, holder);
        Kept old = Kept.begun(7, List.of(device));
        Kept young = Kept.begun(7, List.of(device));
        for (int at = 0; at < 40; at++) {
            (at < 20 ? old : young).take(begun.plusSeconds(5L * at), Pictures.doing(holder, at), List.of(device), 1000);
        }
        Kept both = Kept.of(7, new JsonObject(old.toJson().encode()));
        assertThat(both.isLike(young)).isTrue();
        both.with(young, 1000);
        assertThat(both.coarse().from()).isEqualTo(begun.toEpochMilli());
        assertThat(both.cpuSeconds()).isEqualTo(39);
        assertThat(both.tally(6).seconds()).isEqualTo(2 * 19 * 5);
    }
}
