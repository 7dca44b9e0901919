package io.sluice.jobs.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.jobs.protocol.Distribution;
import io.sluice.jobs.protocol.JobSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class RankTableTest {
    private static final Gang TWO = Gangs.gang(Gangs.spec("", "worker 1 2"), "ascend");

    private static JsonObject table(Gang gang, Distribution.RankTable form) {
        RankTable table = RankTable.of(gang, form).orElseThrow();
        assertThat(table.fault()).isNull();
        return new JsonObject(table.json());
    }

    private static String fault(Gang gang) {
        return String.valueOf(
                RankTable.of(gang, Distribution.RankTable.SERVERS).orElseThrow().fault());
    }

    @Test
    void the_present_form_lists_servers_with_their_devices() {
        assertThat(table(TWO, Distribution.RankTable.SERVERS)).isEqualTo(new JsonObject("""
                {"version":"1.0","server_count":"1","server_list":[{"server_id":"10.0.0.1","device":[
                 {"device_id":"6","device_ip":"192.168.6.1","rank_id":"0"},
                 {"device_id":"7","device_ip":"192.168.7.1","rank_id":"1"}],"host_nic_ip":"reserve"}],"status":"completed"}
                """));
    }

    @Test
    void the_form_of_pods_has_an_instance_for_each_task_called_as_the_task_knows_itself() {
        assertThat(table(TWO, Distribution.RankTable.PODS)).isEqualTo(new JsonObject("""
                {"status":"completed","group_count":"1","group_list":[{"group_name":"sluice","device_count":"2","instance_count":"1",
                 "instance_list":[{"pod_name":"27-master-0","server_id":"10.0.0.1",
                  "devices":[{"device_id":"6","device_ip":"192.168.6.1"},{"device_id":"7","device_ip":"192.168.7.1"}]}]}]}
                """));
        assertThat(Gangs.told(TWO, "worker", 0)).containsEntry("POD_NAME", "27-master-0");
    }

    @Test
    void the_old_form_has_an_instance_for_each_device() {
        JsonObject table = table(TWO, Distribution.RankTable.INSTANCES);
        assertThat(table.getString("board_id")).isIn("0x0000", "0x0020");
        table.remove("board_id");
        assertThat(table).isEqualTo(new JsonObject("""
                {"chip_info":"910","deploy_mode":"lab","group_count":"1",
                 "group_list":[{"device_num":"2","server_num":"1","group_name":"sluice","instance_count":"2","instance_list":[
                   {"devices":[{"device_id":"6","device_ip":"192.168.6.1"}],"rank_id":"0","server_id":"10.0.0.1"},
                   {"devices":[{"device_id":"7","device_ip":"192.168.7.1"}],"rank_id":"1","server_id":"10.0.0.1"}]}],
                 "para_plane_nic_location":"device",
                 "para_plane_nic_name":["eth0","eth1"],"para_plane_nic_num":"2","status":"completed"}
                """));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void every_leaf_is_a_text(Distribution.RankTable form) {
        assertThat(leaves(table(TWO, form))).allSatisfy(leaf -> assertThat(leaf).isInstanceOf(String.class));
    }

    private static List<Object> leaves(Object json) {
        List<Object> all = new ArrayList<>();
        switch (json) {
            case JsonObject object -> object.forEach(entry -> all.addAll(leaves(entry.getValue())));
            case Map<?, ?> map -> map.values().forEach(value -> all.addAll(leaves(value)));
            case JsonArray array -> array.forEach(value -> all.addAll(leaves(value)));
            case List<?> list -> list.forEach(value -> all.addAll(leaves(value)));
            default -> all.add(json);
        }
        return all;
    }

    @Test
    void ranks_of_many_machines_follow_the_order_of_their_names_and_are_those_that_tasks_are_told() {
        var random = new Random(5);
        for (int machines : List.of(2, 3, 12, 30)) {
            JobSpec spec = Gangs.spec("", "worker " + machines + " 8");
            List<Integer> shuffled =
                    new ArrayList<>(IntStream.range(0, machines).boxed().toList());
            java.util.Collections.shuffle(shuffled, random);
            List<Gang.Seat> seats = Gangs.gang(spec, "ascend").members().stream()
                    .map(member -> new Gang.Seat(
                            "worker", shuffled.get(member.index()), member.address(), member.ports(), member.place()))
                    .toList();
            Gang gang = Gang.of(spec, "ada", 1, 0, seats);
            var servers = table(gang, Distribution.RankTable.SERVERS).getJsonArray("server_list");
            List<String> names = new ArrayList<>();
            int rank = 0;
            for (int i = 0; i < servers.size(); i++) {
                JsonObject server = servers.getJsonObject(i);
                names.add(server.getString("server_id"));
                Gang.Member member = gang.members().stream()
                        .filter(one -> server.getString("server_id").equals(one.address()))
                        .findFirst()
                        .orElseThrow();
                assertThat(Gangs.told(gang, "worker", member.index()))
                        .containsEntry("RANK_ID", Integer.toString(rank))
                        .containsEntry("RANK_SIZE", Integer.toString(8 * machines))
                        .containsEntry("NODE_RANK", Integer.toString(i));
                for (Object device : server.getJsonArray("device")) {
                    assertThat(((JsonObject) device).getString("rank_id")).isEqualTo(Integer.toString(rank++));
                }
            }
            assertThat(names).isSorted();
            for (Gang.Member member : gang.members()) {
                assertThat(Gangs.told(gang, "worker", member.index()))
                        .as("all meet where rank 0 is")
                        .containsEntry("MASTER_ADDR", names.getFirst());
            }
            assertThat(rank).isEqualTo(8 * machines);
        }
    }

    @Test
    void until_all_tasks_have_their_places_it_says_that_it_is_not_complete() {
        JobSpec spec = Gangs.spec("extras: {gangAllocation: false}", "worker 2 8");
        List<Gang.Seat> seats = Gangs.gang(spec, "ascend").members().stream()
                .limit(1)
                .map(member ->
                        new Gang.Seat("worker", member.index(), member.address(), member.ports(), member.place()))
                .toList();
        assertThat(table(Gang.of(spec, "ada", 1, 0, seats), Distribution.RankTable.SERVERS))
                .isEqualTo(new JsonObject("{\"status\":\"initializing\"}"));
    }

    @ParameterizedTest
    @CsvSource({"servers,/pod/hccl.json", "pods,/pod/hccl.json", "modelarts,/pod", "instances,/pod/hccl.json"})
    void a_job_chooses_its_form(String form, String file) {
        JobSpec spec = Gangs.spec("extras: {sluice: {distributed: {rankTable: " + form + "}}}", "worker 1 2");
        assertThat(spec.distribution().asksForTable()).isTrue();
        assertThat(Gangs.told(Gangs.gang(spec, "ascend"), "worker", 0)).containsEntry("RANK_TABLE_FILE", file);
    }

    @Test
    void a_job_of_tensorflow_gets_the_form_and_the_ranks_that_it_expects() {
        JobSpec spec = Gangs.spec("extras: {sluice: {distributed: {framework: tensorflow}}}", "worker 2 8");
        Gang gang = Gangs.gang(spec, "ascend");
        assertThat(new JsonObject(RankTable.of(gang).orElseThrow().json()).getJsonArray("group_list"))
                .isNotNull();
        assertThat(Gangs.told(gang, "worker", 1)).containsEntry("RANK_ID", "27-worker-1");
    }

    @Test
    void who_has_no_npus_or_wants_none_has_no_table() {
        assertThat(RankTable.of(Gangs.gang(Gangs.spec("", "worker 1 2"), "nvidia")))
                .isEmpty();
        assertThat(RankTable.of(Gangs.gang(Gangs.spec("", "worker 1 0"), "ascend")))
                .isEmpty();
        JobSpec spec = Gangs.spec("extras: {sluice: {distributed: {rankTable: none}}}", "worker 1 2");
        assertThat(Gangs.told(Gangs.gang(spec, "ascend"), "worker", 0)).doesNotContainKey("RANK_TABLE_FILE");
    }

    @Test
    void what_hccl_would_not_take_is_told_and_not_written() {
        assertThat(fault(Gangs.gang(Gangs.spec("", "worker 1 3"), "ascend"))).contains("1, 2, 4 or 8 devices");
        assertThat(fault(Gangs.gang(Gangs.spec("", "worker 2 4"), "ascend"))).contains("8 devices in each task");
        assertThat(fault(with(TWO, 3, 4))).contains("both halves");
        Place place = TWO.member("worker", 0).place();
        var cards = place.cards().stream()
                .map(card -> new Place.Card(card.id(), "ascend", card.type(), card.number(), card.half(), true, null))
                .toList();
        assertThat(fault(with(TWO, cards))).contains("The address of ascend-6").contains("device-addresses");
        assertThat(Gangs.told(with(TWO, cards), "worker", 0)).doesNotContainKey("RANK_TABLE_FILE");
    }

    private static Gang with(Gang gang, int... numbers) {
        return with(
                gang,
                IntStream.of(numbers)
                        .mapToObj(i -> new Place.Card(
                                "ascend-" + i, "ascend", "Ascend910B", i, i < 4 ? "0a" : "0b", true, "192.168.0." + i))
                        .toList());
    }

    private static Gang with(Gang gang, List<Place.Card> cards) {
        Gang.Member member = gang.member("worker", 0);
        return Gang.of(
                gang.spec(),
                "ada",
                1,
                0,
                List.of(new Gang.Seat(
                        "worker",
                        0,
                        member.address(),
                        member.ports(),
                        new Place(member.place().server(), false, cards, Map.of()))));
    }
}
